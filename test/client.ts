// A plain HTTP client of the API, for tests.

export type Answer = { status: number; headers: Headers; body: any; data: any; error: any }
type Extra = { headers?: Record<string, string> }

export type Client = {
  url: string
  key: string
  get(path: string, extra?: Extra): Promise<Answer>
  post(path: string, body?: unknown, extra?: Extra): Promise<Answer>
  patch(path: string, body?: unknown, extra?: Extra): Promise<Answer>
  delete(path: string, extra?: Extra): Promise<Answer>
  send(
    method: string,
    path: string,
    init?: { body?: string | Uint8Array; headers?: Record<string, string> },
  ): Promise<Answer>
}

export function client(url: string, credentials: Record<string, string>): Client {
  const send: Client['send'] = async (method, path, { body, headers = {} } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...credentials, ...headers },
      ...(body === undefined ? {} : { body: body as RequestInit['body'] }),
    })
    const text = await response.text()
    const json = text === '' ? undefined : JSON.parse(text)
    return { status: response.status, headers: response.headers, body: json, data: json?.data, error: json?.error }
  }
  const withBody =
    (method: string) =>
    (path: string, body: unknown = {}, { headers = {} }: Extra = {}) =>
      send(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } })
  return {
    url,
    key: credentials['x-api-key'] ?? '',
    send,
    get: (path, extra = {}) => send('GET', path, extra),
    post: withBody('POST'),
    patch: withBody('PATCH'),
    delete: (path, extra = {}) => send('DELETE', path, extra),
  }
}
