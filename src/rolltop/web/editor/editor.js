// The code editor of the page: replaces every <textarea data-editor="LANGUAGE"> and keeps it in step.
// scripts/vendor-static bundles this file with CodeMirror into static/vendor/editor.js.
import { EditorView, basicSetup } from "codemirror";
import { keymap } from "@codemirror/view";
import { indentWithTab } from "@codemirror/commands";
import { StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { classHighlighter } from "@lezer/highlight";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { xml } from "@codemirror/lang-xml";
import { yaml, yamlFrontmatter } from "@codemirror/lang-yaml";

const keywords = new Set(
  "let function def if else match when try catch true false null and or not in input output import template apply".split(" "),
);

const utlx = StreamLanguage.define({
  name: "utlx",
  startState: () => ({ header: true }),
  token(stream, state) {
    if (stream.sol() && stream.match("---")) {
      state.header = false;
      return "meta";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("//") || stream.match("#")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("%utlx")) return "meta";
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/)) return "string";
    if (stream.match(/^\d+(\.\d+)?([eE][+-]?\d+)?/)) return "number";
    if (stream.match(/^[$@][A-Za-z_][\w]*/) || stream.eat("$") || stream.eat("@")) return "variableName";
    const word = stream.match(/^[A-Za-z_][\w]*/);
    if (word) {
      if (keywords.has(word[0])) return "keyword";
      return stream.peek() === "(" ? "variableName.function" : "propertyName";
    }
    if (stream.match(/^(=>|\|>|==|!=|<=|>=|&&|\|\||\?\?|\.\.\.|[-+*/%<>=!?:|&])/)) return "operator";
    stream.next();
    return null;
  },
});

const languages = { json: json(), xml: xml(), yaml: yaml(), markdown: yamlFrontmatter({ content: markdown() }), utlx };

function nonce() {
  const meta = document.querySelector('meta[name="csp-nonce"]');
  return meta ? meta.content : "";
}

function replace(area) {
  const label = area.labels && area.labels[0] ? area.labels[0].textContent.trim() : area.name;
  const write = EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    area.value = update.state.doc.toString();
    area.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const view = new EditorView({
    doc: area.value,
    extensions: [
      basicSetup,
      syntaxHighlighting(classHighlighter), // colours are in app.css, for light and dark
      keymap.of([{ key: "Escape", run: (editor) => (editor.contentDOM.blur(), true) }, indentWithTab]),
      EditorView.cspNonce.of(nonce()),
      EditorView.editorAttributes.of({ class: "editor" }),
      EditorView.contentAttributes.of({ "aria-label": label }),
      EditorView.lineWrapping,
      languages[area.dataset.editor] || [],
      area.readOnly ? EditorView.editable.of(false) : [],
      write,
    ],
  });
  area.after(view.dom);
  area.hidden = true;
  area.editorView = view;
}

document.querySelectorAll("textarea[data-editor]").forEach(replace);
