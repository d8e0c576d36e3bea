// Builds the tree that nsx_core/views/markup.py describes, from createElement and text
// nodes only, and sends clicks on [data-event] back as triggers. The allow lists repeat
// those of markup.py; a test compares them.
const TAGS = new Set([
  "div", "span", "p", "strong", "mark", "button", "s", "small", "section", "nav", "h4",
  "table", "caption", "thead", "tbody", "tr", "th", "td",
]);
const ATTRIBUTES = new Set(["class", "role", "title", "dir", "type", "scope", "disabled"]);

function build(tree) {
  if (typeof tree === "string") return document.createTextNode(tree);
  if (!TAGS.has(tree.t)) throw new Error(`<${tree.t}> is not allowed`);
  const element = document.createElement(tree.t);
  for (const [name, value] of Object.entries(tree.a ?? {})) {
    if (ATTRIBUTES.has(name) || name.startsWith("aria-") || name.startsWith("data-")) {
      element.setAttribute(name, value);
    }
  }
  for (const [name, value] of Object.entries(tree.p ?? {})) {
    if (name.startsWith("--")) element.style.setProperty(name, value);
  }
  for (const child of tree.c ?? []) element.append(build(child));
  return element;
}

function moved(event, group) {
  const buttons = [...group.querySelectorAll("button:not([disabled])")];
  const at = buttons.indexOf(event.target.closest("button"));
  const forward = getComputedStyle(group).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
  const back = forward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
  if (event.key === forward) return buttons[Math.min(at + 1, buttons.length - 1)];
  if (event.key === back) return buttons[Math.max(at - 1, 0)];
  if (event.key === "Home") return buttons[0];
  if (event.key === "End") return buttons[buttons.length - 1];
  return null;
}

function listen(host) {
  host.addEventListener("click", (event) => {
    const sender = event.target.closest("[data-event]");
    if (!sender || sender.disabled) return;
    if (sender.hasAttribute("aria-pressed")) {
      for (const other of host.querySelectorAll('[aria-pressed="true"]')) {
        other.setAttribute("aria-pressed", "false");
      }
      sender.setAttribute("aria-pressed", "true");
    }
    host.send(sender.dataset.event, sender.dataset.value);
  });
  host.addEventListener("keydown", (event) => {
    const group = event.target.closest("[data-arrows]");
    const next = group && moved(event, group);
    if (next) {
      event.preventDefault();
      next.focus();
    }
  });
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let host = parentElement.querySelector(".nsx");
  if (!host) {
    host = document.createElement("div");
    host.className = "nsx";
    parentElement.append(host);
    listen(host);
  }
  host.send = (name, value) => setTriggerValue(name, value);
  const written = JSON.stringify(data);
  if (host.written === written) return;
  host.written = written;
  const root = host.getRootNode();
  const focused = root.activeElement?.dataset?.id;
  host.replaceChildren(build(data));
  if (focused) {
    host.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }
}
