// A text area that says what is typed while it is typed: once the keys rest, or when the focus
// leaves. The text goes in and out by .value alone. It is overwritten where `data.text_id` or
// `data.turn` is another than before (another text, begun anew), never by an answer that is late.
const PAUSE = 300; // milliseconds after the last key

function made(host) {
  const label = document.createElement("label");
  const area = document.createElement("textarea");
  const said = document.createElement("p");
  area.id = "text";
  label.htmlFor = area.id;
  said.id = "said";
  area.setAttribute("aria-describedby", said.id);
  area.dir = "auto";
  area.spellcheck = false;
  area.rows = 2;
  said.setAttribute("role", "status");
  host.append(label, area, said);
  Object.assign(host, { label, area, said, timer: 0, sent: null });
  area.addEventListener("input", (event) => {
    waiting(host);
    clearTimeout(host.timer);
    if (!event.isComposing) host.timer = setTimeout(() => send(host), PAUSE);
  });
  area.addEventListener("compositionend", () => {
    clearTimeout(host.timer);
    host.timer = setTimeout(() => send(host), PAUSE);
  });
  area.addEventListener("blur", () => send(host));
}

function send(host) {
  clearTimeout(host.timer);
  const text = host.area.value;
  if (text === host.sent) return;
  host.sent = text;
  host.tell({ text_id: host.data.text_id, turn: host.data.turn, text });
}

// What stands below the text is of another text until the answer comes.
function waiting(host) {
  host.said.classList.toggle("waiting", host.area.value !== host.data.text);
}

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  let host = parentElement.querySelector(".edit-box");
  if (!host) {
    host = document.createElement("div");
    host.className = "edit-box";
    made(host);
    parentElement.append(host);
  }
  host.tell = (edit) => setStateValue("edit", edit);
  const other = host.data?.text_id !== data.text_id || host.data?.turn !== data.turn;
  host.data = data;
  if (other) {
    clearTimeout(host.timer);
    host.area.value = data.text;
    // What .value gives back: browsers make one kind of line break of all.
    host.data = { ...data, text: host.area.value };
    host.sent = host.area.value;
  }
  host.label.textContent = data.label;
  if (host.said.textContent !== data.said) host.said.textContent = data.said;
  host.area.setAttribute("aria-invalid", String(data.wrong));
  waiting(host);
}
