// A client of the TypeScript SDK: lists the tools, calls one, prints what came back as JSON.
// usage: client.mjs v1|v2 TOOL ARGUMENTS (URL | COMMAND ARG…)
const [version, tool, given, target, ...rest] = process.argv.slice(2);

const packages = {
  v1: async () => ({
    ...(await import('@modelcontextprotocol/sdk/client/index.js')),
    ...(await import('@modelcontextprotocol/sdk/client/stdio.js')),
    ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
  }),
  v2: async () => ({
    ...(await import('@modelcontextprotocol/client')),
    ...(await import('@modelcontextprotocol/client/stdio')),
  }),
};

const { Client, StdioClientTransport, StreamableHTTPClientTransport } = await packages[version]();
const transport = target.startsWith('http')
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args: rest, env: process.env });
const client = new Client({ name: 'typescript-client', version: '1.0.0' });
await client.connect(transport);
const { tools } = await client.listTools();
const answer = await client.callTool({ name: tool, arguments: JSON.parse(given) });
console.log(JSON.stringify({ tools: tools.map((each) => each.name), answer }));
await client.close();
