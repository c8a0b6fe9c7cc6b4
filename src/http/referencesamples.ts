// Samples of the reference. Scalar's own would repeat one Idempotency-Key; these make a new one for each write. The
// functions run in the browser: their texts are part of the page's script, so they name nothing but each other.

type DocumentedOperation = Record<string, any>
type CodeSample = { lang: string; label: string; source: string }
type ApiDocument = Record<string, any>

/** Adds the samples to all operations. */
export function addSamples(document: ApiDocument, base: string): ApiDocument {
  for (const [path, operations] of Object.entries<Record<string, DocumentedOperation>>(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const url: string = (operation.servers?.[0].url ?? base) + path
      const body = findBodyExample(document, operation)
      operation['x-codeSamples'] = [
        { lang: 'curl', label: 'curl', source: writeCurl(method, url, operation, body) },
        { lang: 'javascript', label: 'fetch', source: writeFetch(method, url, operation, body) },
        { lang: 'python', label: 'requests', source: writePython(method, url, operation, body) },
      ] satisfies CodeSample[]
    }
  }
  return document
}

function findBodyExample({ components }: ApiDocument, { requestBody }: DocumentedOperation): unknown {
  const media = requestBody?.content['application/json']
  const name = media?.schema.$ref?.split('/').pop()
  return media?.example ?? (name && components.schemas[name].examples?.[0])
}

/** One line for each header; `fresh` is that of the key. */
function writeHeaders(
  { parameters = [], requestBody, security }: DocumentedOperation,
  write: (name: string, value: string) => string,
  fresh: string,
): string[] {
  return [
    ...(requestBody ? [write('Content-Type', 'application/json')] : []),
    ...(security.some((one: object) => 'ApiKey' in one) ? [write('X-API-Key', 'wk_test_your_key')] : []),
    ...(parameters.some(({ $ref = '' }) => $ref.endsWith('/IdempotencyKey')) ? [fresh] : []),
  ]
}

function writeCurl(method: string, url: string, operation: DocumentedOperation, body: unknown): string {
  const json = JSON.stringify(body, null, 2)?.replaceAll("'", `'\\''`)
  const parts = [
    `curl ${url}`,
    ...(method === 'get' ? [] : [`--request ${method.toUpperCase()}`]),
    ...writeHeaders(
      operation,
      (name, value) => `--header '${name}: ${value}'`,
      '--header "Idempotency-Key: $(uuidgen)"',
    ),
    ...(json ? [`--data '${json}'`] : []),
  ]
  return parts.join(' \\\n  ')
}

function writeFetch(method: string, url: string, operation: DocumentedOperation, body: unknown): string {
  const headers = writeHeaders(
    operation,
    (name, value) => `    '${name}': '${value}',`,
    `    'Idempotency-Key': crypto.randomUUID(),`,
  )
  const json = JSON.stringify(body, null, 2)?.replaceAll('\n', '\n  ')
  const parts = [
    ...(method === 'get' ? [] : [`  method: '${method.toUpperCase()}',`]),
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    ...(json ? [`  body: JSON.stringify(${json}),`] : []),
  ]
  const options = parts.length > 0 ? `, {\n${parts.join('\n')}\n}` : ''
  return `const response = await fetch('${url}'${options})`
}

function writePython(method: string, url: string, operation: DocumentedOperation, body: unknown): string {
  const fresh = '        "Idempotency-Key": str(uuid.uuid4()),'
  const headers = writeHeaders(operation, (name, value) => `        "${name}": "${value}",`, fresh)
  const parts = [
    `    "${url}",`,
    ...(headers.length > 0 ? ['    headers={', ...headers, '    },'] : []),
    ...(body === undefined ? [] : [`    json=${toPython(body, '    ')},`]),
  ]
  const imports = headers.includes(fresh) ? 'import uuid\n\nimport requests' : 'import requests'
  return `${imports}\n\nresponse = requests.${method}(\n${parts.join('\n')}\n)`
}

function toPython(value: unknown, by: string): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${by}    `
  const items = Array.isArray(value)
    ? value.map((one) => toPython(one, inner))
    : Object.entries(value).map(([name, one]) => `"${name}": ${toPython(one, inner)}`)
  const [start, end] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (items.length === 0) return start + end
  return `${start}\n${items.map((item) => `${inner}${item},\n`).join('')}${by}${end}`
}

/** The text of the functions above. */
export const samplesScript = [
  addSamples,
  findBodyExample,
  writeHeaders,
  writeCurl,
  writeFetch,
  writePython,
  toPython,
].join('\n')
