// The note that hands a session on, word for word as the installed client writes it: people forward it, and tools look for
// it. Pure. A secret as a whole: made when asked for, and not kept. Only the dialog that hands on uses it, and comes with it.
import { shownName } from "./names";
import { shownTitle } from "./shown";

export interface Note {
  /** Who shares, as claimed. */
  readonly from: string;
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Such as `https://plane.example`. */
  readonly origin: string;
  readonly viewOnly: boolean;
  readonly link: string;
}

/** What starts the client, where nothing was published: the built program's own name. */
export const COMMAND = "devpilot-session";

export function noteText(note: Note, command = COMMAND): string {
  const from = shownName(note.from);
  const may = note.viewOnly ? "read along in" : "read and write in";
  const date = new Date(note.expiresAt).toISOString().slice(0, 10);
  return [
    `${from} shares a DevPilot session with you: "${shownTitle(note.title)}"`,
    `With it your coding agent can ${may} one shared, end-to-end encrypted transcript.`,
    `It is open until ${date} (UTC), and longer when somebody writes.`,
    "",
    ...(isLoopback(note.origin)
      ? [
          `This link opens on this machine only: the plane behind it is ${note.origin}.`,
          "To share with another machine, host a plane where both can reach it, connect to it, and share again:",
          "devpilot-plane serve --public-url https://YOUR.HOST, then devpilot-session connect https://YOUR.HOST",
          "",
        ]
      : []),
    "Copy all of this, then tell your agent: join the DevPilot session on my clipboard",
    "",
    "No DevPilot client yet? One line for your agent's host, then restart it:",
    ...hostLines(command).map(([host, line]) => `  ${host}: ${line}`),
    `  Any other MCP host: a local (stdio) server with the command: ${command}`,
    `  Without MCP, with this note on your clipboard: ${command} join`,
    "This is the link (it opens in a browser as well):",
    "",
    note.link,
    "",
    `Send this as you would send a password: whoever has the link can ${may} the session.`,
    `If it reaches somebody else, tell ${from} at once.`,
    "",
  ].join("\n");
}

/** Whether links of this plane open on its own machine alone. */
export function isLoopback(origin: string): boolean {
  return /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]+)?$/.test(origin);
}

function hostLines(command: string): readonly (readonly [string, string])[] {
  const [program = "", ...args] = command.split(" ");
  const server = `"command":${JSON.stringify(program)},"args":${JSON.stringify(args)}`;
  return [
    ["Claude Code", `claude mcp add devpilot --scope user -- ${command}`],
    ["Codex", `codex mcp add devpilot -- ${command}`],
    // Gemini CLI would take the options of the command for its own.
    ["Gemini CLI", `gemini mcp add --scope user devpilot ${command.replace(" ", " -- ")}`],
    ["opencode", `opencode mcp add devpilot -- ${command}`],
    ["VS Code", `code --add-mcp '{"name":"devpilot",${server}}'`],
    ["Cursor, in ~/.cursor/mcp.json", `{"mcpServers":{"devpilot":{${server}}}}`],
  ];
}
