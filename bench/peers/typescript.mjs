// The TypeScript SDK, v2.
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const count = Number(process.argv[3]);
const server = new McpServer({ name: 'peer', version: '1' });
server.registerTool('echo', { description: 'Echo', inputSchema: z.object({ text: z.string() }), outputSchema: z.object({ result: z.string() }) },
  async ({ text }) => ({ content: [{ type: 'text', text }], structuredContent: { result: text } }));
for (let n = 1; n < count; n++) {
  server.registerTool(`tool_${n}`, { description: 'Finds things. '.repeat(18),
    inputSchema: z.object({ query: z.string(), limit: z.number().optional(), fuzzy: z.boolean().optional(), tags: z.string().optional(), after: z.string().optional() }),
    outputSchema: z.object({ result: z.string() }) }, async ({ query }) => ({ content: [], structuredContent: { result: query } }));
}
await server.connect(new StdioServerTransport());
