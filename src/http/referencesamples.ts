// Samples of the reference. Scalar's own would repeat one Idempotency-Key; these make a new one for each write.

type DocumentedOperation = Record<string, any>
type CodeSample = { lang: string; label: string; source: string }

/**
 * Adds the samples to the operations. It runs in the browser: its text is part of the page's script,
 * so it names nothing outside of itself.
 */
export function addSamples(document: Record<string, any>, base: string): Record<string, any> {
  const findExample = (body: DocumentedOperation | undefined): unknown => {
    const media = body?.content['application/json']
    const name = media?.schema.$ref?.split('/').pop()
    return media?.example ?? (name && document.components.schemas[name].examples?.[0])
  }
  const indent = (text: string, by: string) => text.replaceAll('\n', `\n${by}`)
  const toPython = (value: unknown, by = ''): string => {
    if (value === null) return 'None'
    if (typeof value === 'boolean') return value ? 'True' : 'False'
    if (typeof value !== 'object') return JSON.stringify(value)
    const [start, end, items] = Array.isArray(value)
      ? ['[', ']', value.map((one) => toPython(one, `${by}    `))]
      : ['{', '}', Object.entries(value).map(([name, one]) => `"${name}": ${toPython(one, `${by}    `)}`)]
    return items.length === 0
      ? start + end
      : `${start}\n${items.map((item) => `${by}    ${item},\n`).join('')}${by}${end}`
  }
  const readHeaders = ({ parameters = [], requestBody, security }: DocumentedOperation): [string, string][] => [
    ...(requestBody ? [['Content-Type', 'application/json'] as [string, string]] : []),
    ...(security.some((one: object) => 'ApiKey' in one) ? [['X-API-Key', 'wk_test_your_key'] as [string, string]] : []),
    ...(parameters.some(({ $ref = '' }) => $ref.endsWith('/IdempotencyKey'))
      ? [['Idempotency-Key', ''] as [string, string]]
      : []),
  ]
  const buildSamples = (method: string, url: string, operation: DocumentedOperation): CodeSample[] => {
    const body = findExample(operation.requestBody)
    const json = body === undefined ? '' : JSON.stringify(body, null, 2)
    const headers = readHeaders(operation)
    const lines = (write: (name: string, value: string) => string, fresh: string) =>
      headers.map(([name, value]) => (value === '' ? fresh : write(name, value)))
    const curl = [
      `curl ${url}`,
      ...(method === 'get' ? [] : [`--request ${method.toUpperCase()}`]),
      ...lines((name, value) => `--header '${name}: ${value}'`, '--header "Idempotency-Key: $(uuidgen)"'),
      ...(json ? [`--data '${json.replaceAll("'", `'\\''`)}'`] : []),
    ]
    const script = [
      ...(method === 'get' ? [] : [`method: '${method.toUpperCase()}',`]),
      ...(headers.length > 0 ? ['headers: {'] : []),
      ...lines((name, value) => `  '${name}': '${value}',`, `  'Idempotency-Key': crypto.randomUUID(),`),
      ...(headers.length > 0 ? ['},'] : []),
      ...(json ? [`body: JSON.stringify(${indent(json, '  ')}),`] : []),
    ]
    const python = [
      `"${url}",`,
      ...(headers.length > 0 ? ['headers={'] : []),
      ...lines((name, value) => `    "${name}": "${value}",`, '    "Idempotency-Key": str(uuid.uuid4()),'),
      ...(headers.length > 0 ? ['},'] : []),
      ...(json ? [`json=${toPython(body, '    ')},`] : []),
    ]
    const imports = headers.some(([, value]) => value === '') ? 'import uuid\n\nimport requests' : 'import requests'
    const options = script.length > 0 ? `, {\n  ${script.join('\n  ')}\n}` : ''
    return [
      { lang: 'curl', label: 'curl', source: curl.join(' \\\n  ') },
      { lang: 'javascript', label: 'fetch', source: `const response = await fetch('${url}'${options})` },
      {
        lang: 'python',
        label: 'requests',
        source: `${imports}\n\nresponse = requests.${method}(\n    ${python.join('\n    ')}\n)`,
      },
    ]
  }
  for (const [path, operations] of Object.entries<Record<string, DocumentedOperation>>(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const server: string = operation.servers?.[0].url ?? base
      operation['x-codeSamples'] = buildSamples(method, server + path, operation)
    }
  }
  return document
}
