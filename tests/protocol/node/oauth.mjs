// A client of the TypeScript SDK that knows nothing but a URL: it signs a user in by OAuth, then calls a tool.
// usage: oauth.mjs v1|v2 URL USER TOOL ARGUMENTS
const [version, target, user, tool, given] = process.argv.slice(2);

const packages = {
  v1: async () => ({
    ...(await import('@modelcontextprotocol/sdk/client/index.js')),
    ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
    ...(await import('@modelcontextprotocol/sdk/client/auth.js')),
  }),
  v2: async () => import('@modelcontextprotocol/client'),
};
const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await packages[version]();

const kept = {};
let code;
const provider = {
  redirectUrl: 'http://localhost:1/callback',
  clientMetadata: {
    client_name: 'typescript-client',
    redirect_uris: ['http://localhost:1/callback'],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
  },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  // A browser would show a form here; the authorization server of the tests takes the name from the URL.
  redirectToAuthorization: async (url) => {
    url.searchParams.set('user', user);
    const answer = await fetch(url, { redirect: 'manual' });
    code = new URL(answer.headers.get('location')).searchParams.get('code');
  },
};

const connect = async () => {
  const transport = new StreamableHTTPClientTransport(new URL(target), { authProvider: provider });
  const client = new Client({ name: 'typescript-client', version: '1.0.0' });
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    if (!(error instanceof UnauthorizedError) || code === undefined) throw error;
    await transport.finishAuth(code);
    code = undefined;
    return undefined;
  }
};

const client = (await connect()) ?? (await connect());
const answer = await client.callTool({ name: tool, arguments: JSON.parse(given) });
console.log(JSON.stringify(answer));
await client.close();
