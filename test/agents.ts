// Agents of tests: clients of /mcp as they come from npm.
import { Client, StreamableHTTPClientTransport, type OAuthClientProvider } from '@modelcontextprotocol/client'

export type Agent = Client & { call(tool: string, args?: object): Promise<ToolAnswer> }
export type ToolAnswer = { isError: boolean; result: any; error: any; text: string }

/** `version`: the revision of the protocol that it speaks. */
export async function openAgent(
  url: string,
  token: string | OAuthClientProvider,
  version: '2026-07-28' | 'legacy' = '2026-07-28',
): Promise<Agent> {
  const versionNegotiation = { mode: version === 'legacy' ? version : { pin: version } } as const
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation })
  const how =
    typeof token === 'string'
      ? { requestInit: { headers: { authorization: `Bearer ${token}` } } }
      : { authProvider: token }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), how))
  return Object.assign(client, { call: callWith(client) })
}

/** A result is what its text says. */
function callWith(client: Client) {
  return async (name: string, args: object = {}): Promise<ToolAnswer> => {
    const answer: any = await client.callTool({ name, arguments: args as Record<string, unknown> })
    const { text } = answer.content[0]
    const error = answer.isError ? JSON.parse(text).error : undefined
    return { isError: answer.isError === true, result: answer.structuredContent, error, text }
  }
}

/** One call, as clients of older releases make it: answered by a stream with one event. */
export async function callTool(url: string, key: string, name: string, own: object): Promise<any> {
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'x-forwarded-host': 'shop.example',
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: own } }),
  })
  const [, event] = /^data: (.+)$/m.exec(await answer.text())!
  return JSON.parse(JSON.parse(event!).result.content[0].text)
}
