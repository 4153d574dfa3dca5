// Keys, and the two things a browser remembers for itself: language and brightness.
(() => {
  const keep = (name, value) => { document.cookie = `ebbtide_${name}=${value}; path=/; max-age=31536000; samesite=lax`; };
  const kept = (name) => (document.cookie.match(`(?:^|; )ebbtide_${name}=([^;]*)`) || [])[1] || "";
  const night = matchMedia("(prefers-color-scheme: dark)");
  const turns = { "": "dark", dark: "light", light: "" };

  const brightness = () => {
    const chosen = kept("dark");
    const dark = chosen === "dark" || (chosen === "" && night.matches);
    document.documentElement.classList.toggle("dark", dark);
    document.documentElement.dataset.chosen = chosen || "auto";
    if (window.Quasar) window.Quasar.Dark.set(dark);
  };
  night.addEventListener("change", brightness);
  brightness();

  const typing = (element) => element.closest("input, textarea, select, [contenteditable], .q-field");
  const step = (by) => {
    const items = [...document.querySelectorAll("#main a.item, #main a.mind-card")];
    if (!items.length) return;
    const next = items.indexOf(document.activeElement) + by;
    items[Math.max(0, Math.min(items.length - 1, next))].focus();
  };
  // A view that is made again has other elements for the same controls: they are known by what they are called.
  const called = (control) => control.getAttribute("aria-label") || `${control.tagName} ${control.textContent.trim()}`;
  const namesakes = (name) => {
    const controls = document.querySelectorAll("#main :is(a[href], button, input, select, textarea, summary)");
    return [...controls].filter((control) => called(control) === name);
  };
  let held = null;
  document.addEventListener("focusin", ({ target }) => {
    if (target.id === "main" || !target.closest("#main")) return;
    held = { name: called(target), place: namesakes(called(target)).indexOf(target) };
  });
  const refocus = () => {
    const main = document.getElementById("main");
    if (!main || ![null, document.body, main].includes(document.activeElement)) return;
    const same = held ? namesakes(held.name) : [];
    (same[held?.place] ?? same[0] ?? main.querySelector(".way-back") ?? main).focus({ preventScroll: true });
  };

  let going = 0;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (typing(event.target)) { if (event.key === "Escape") event.target.blur(); return; }
    const after_g = Date.now() - going < 1500;
    going = 0;
    if (after_g) {
      const link = document.querySelector(`[data-letter="${CSS.escape(event.key)}"]`);
      if (link) { event.preventDefault(); link.click(); }
      return;
    }
    const done = {
      "/": () => document.querySelector(".find input")?.focus(),
      "?": () => document.getElementById("help")?.showModal(),
      g: () => { going = Date.now(); },
      j: () => step(1),
      k: () => step(-1),
    }[event.key];
    if (done && !document.querySelector("dialog[open]")) { event.preventDefault(); done(); }
  });

  window.ebbtide = {
    language(value) { keep("language", value); location.reload(); },
    dark() { keep("dark", turns[kept("dark")]); brightness(); },
    show(id) { document.getElementById(id)?.showModal(); },
    refocus() { setTimeout(refocus); },
    // Without a secure origin a browser has no clipboard: then the text is selected, ready to be copied by hand.
    copy(button) {
      const source = button.closest(".snippet").querySelector("pre"), said = button.querySelector(".said");
      const done = () => {
        const before = said.textContent;
        if (before === button.dataset.copied) return;
        said.textContent = button.dataset.copied;
        setTimeout(() => { said.textContent = before; }, 2000);
      };
      const select = () => getSelection().selectAllChildren(source);
      if (!navigator.clipboard) return select();
      return navigator.clipboard.writeText(source.textContent).then(done, select);
    },
    hide(id) { document.getElementById(id)?.close(); },
  };
})();
