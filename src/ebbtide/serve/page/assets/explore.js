// What the picture of a network does by itself: zoom and pan by buttons and keys, and point out what is looked for.
(() => {
  const chart = (id) => getElement(id)?.chart;
  const act = (id, action) => chart(id)?.dispatchAction({ seriesIndex: 0, ...action });
  const net = {
    zoom(id, by) {
      const on = chart(id);
      if (on) act(id, { type: "graphRoam", zoom: by, originX: on.getWidth() / 2, originY: on.getHeight() / 2 });
    },
    pan(id, dx, dy) { act(id, { type: "graphRoam", dx, dy }); },
    whole(id) { chart(id)?.setOption({ series: [{ zoom: 1, center: null }] }); },
    pick(id, row) {
      act(id, { type: "unselect", dataType: "node", dataIndex: chart(id)?.__picked ?? [] });
      if (chart(id)) chart(id).__picked = row;
      if (row !== null) act(id, { type: "select", dataType: "node", dataIndex: row });
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
