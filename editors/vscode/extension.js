// Starts `wrapper-gen lsp` for specs; everything else is the server's.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? ".";
  const said = vscode.workspace.getConfiguration("wrapper-gen").get("command");
  const [command, ...args] = said.map((word) => word.replaceAll("${workspaceFolder}", folder));
  const selector = [{ language: "wrapper-spec" }];
  const watcher = vscode.workspace.createFileSystemWatcher("**/*.{wrapper_spec,h,hh,hpp,hxx}");
  client = new LanguageClient(
    "wrapper-gen",
    { command, args },
    { documentSelector: selector, synchronize: { fileEvents: watcher } },
  );
  return client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
