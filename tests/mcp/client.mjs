// A client built with the protocol's own library against `tracetop mcp`: it validates what the server
// sends, calls each tool, and follows cursors.
//
// usage: node client.mjs PROGRAM FILE.etl
import assert from "node:assert";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [program, file] = process.argv.slice(2);
const client = new Client({ name: "tracetop-test", version: "1" });
await client.connect(new StdioClientTransport({ command: program, args: ["mcp", "-q", file] }));
assert.equal(client.getServerVersion().name, "tracetop");

async function call(name, args = {}) {
    const said = await client.callTool({ name, arguments: args });
    assert.ok(!said.isError, said.content[0].text);
    assert.ok(Buffer.byteLength(said.content[0].text) <= 8000);
    return JSON.parse(said.content[0].text);
}

const { tools } = await client.listTools();
assert.deepEqual(tools.map((t) => t.name), ["sources", "fields", "ask", "events", "stacks", "changes"]);
assert.ok(tools.every((t) => t.annotations.readOnlyHint && t.inputSchema.type === "object"));

const sources = await call("sources");
assert.ok(sources.row_count > 0);
const query = "by proc, event | count, p99 lat";
let rows = 0, pages = 0, said;
do {
    said = await call("ask", said ? { query, cursor: said.cursor } : { query });
    rows += said.rows.length;
    pages++;
} while (said.cursor);
assert.equal(rows, said.row_count);
await call("fields", { match: "lat" });
await call("events", { time: sources.span.from, within: "1s" });
await call("stacks");
await call("changes", { before: "0s..1s", after: "1s..2s" });
const wrong = await client.callTool({ name: "ask", arguments: { query: "by nothing" } });
assert.ok(wrong.isError && wrong.content[0].text.includes("nothing"));
await assert.rejects(client.callTool({ name: "rm", arguments: {} }));
await client.close();
console.log(`mcp client: ${tools.length} tools, ${rows} rows on ${pages} pages`);
