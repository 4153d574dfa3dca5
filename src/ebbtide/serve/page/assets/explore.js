// What the picture of a network does by itself: zoom and pan by buttons and keys, and point out what is looked for.
(() => {
  const chart = (id) => getElement(id)?.chart;
  const act = (id, action) => chart(id)?.dispatchAction({ seriesIndex: 0, ...action });
  const picked = new Map();
  // A chart is made a moment after its element.
  const once_there = (id, done, tries = 100) => {
    if (chart(id)?.getOption()) done();
    else if (tries) setTimeout(() => once_there(id, done, tries - 1), 30);
  };
  const net = {
    zoom(id, by) {
      const on = chart(id);
      if (on) act(id, { type: "graphRoam", zoom: by, originX: on.getWidth() / 2, originY: on.getHeight() / 2 });
    },
    pan(id, dx, dy) { act(id, { type: "graphRoam", dx, dy }); },
    whole(id) {
      once_there(id, () => chart(id).setOption({ series: [{ zoom: 1, center: null }] }));
    },
    // Where there is little room the middle is shown first.
    begin(id) {
      once_there(id, () => {
        chart(id).setOption({ series: [{ zoom: 1, center: null }] });
        if (chart(id).getWidth() < 480) net.zoom(id, 1.8);
        chart(id).getDom().dataset.begun = "yes"; // from here on it is the reader's
      });
    },
    pick(id, row) {
      once_there(id, () => {
        if (picked.has(id)) act(id, { type: "unselect", dataType: "node", dataIndex: picked.get(id) });
        picked.delete(id);
        if (row === null) return;
        picked.set(id, row);
        act(id, { type: "select", dataType: "node", dataIndex: row });
      });
    },
    point(id, rows) {
      act(id, { type: "downplay" });
      if (rows.length) act(id, { type: "highlight", dataType: "node", dataIndex: rows });
    },
    key(id, event) {
      const far = 60;
      const done = {
        "+": () => net.zoom(id, 1.25), "=": () => net.zoom(id, 1.25), "-": () => net.zoom(id, 0.8), 0: () => net.whole(id),
        ArrowLeft: () => net.pan(id, far, 0), ArrowRight: () => net.pan(id, -far, 0),
        ArrowUp: () => net.pan(id, 0, far), ArrowDown: () => net.pan(id, 0, -far),
      }[event.key];
      if (done && !event.ctrlKey && !event.metaKey) { event.preventDefault(); done(); }
    },
  };
  window.ebbtide_net = net;
})();
