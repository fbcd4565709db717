// Starts `rolltop transform lsp` and hands UTL-X files to it.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("utlx").get("command", "rolltop");
  client = new LanguageClient(
    "utlx",
    "UTL-X",
    { command, args: ["transform", "lsp"] },
    { documentSelector: [{ language: "utlx" }] },
  );
  return client.start();
};

exports.deactivate = () => client?.stop();
