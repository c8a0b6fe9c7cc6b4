// Names that follow from a route: its operationId, after its method and the nouns of its path; and that of a schema.
import type { Route } from '../../kit/declare/route.ts'

/** GET /v1/products → listProducts, POST /v1/webhooks/{id}/rotate-secret → rotateWebhookSecret. */
export function buildOperationId({
  method,
  path,
  list,
  makesRecord,
  operationId,
}: Pick<Route, 'method' | 'path' | 'list' | 'makesRecord' | 'operationId'>): string {
  if (operationId) return operationId
  const segments = listNamedSegments(path)
  const nouns = segments
    .map((segment, index) => (segments[index + 1]?.startsWith('{') ? singular(segment) : segment))
    .filter((segment) => !segment.startsWith('{'))
  const last = nouns.at(-1)!
  const owners = nouns.slice(0, -1)
  if (method === 'GET' && last === 'count') return `count${joinWords(owners)}`
  if (method === 'GET') return `${list ? 'list' : 'get'}${joinWords(nouns)}`
  if (method === 'PATCH') return `update${joinWords(nouns)}`
  if (method === 'DELETE') return `delete${joinWords(nouns)}`
  if (makesRecord) return `create${joinWords([...owners, singular(last)])}`
  const [verb, ...object] = last.split('-')
  return `${verb}${joinWords([...owners.slice(0, -1), singular(owners.at(-1)!), ...object])}`
}

/** "API key" → ApiKey, "checkout-drafts" → CheckoutDrafts */
export function pascalCase(words: string): string {
  return words
    .split(/[^A-Za-z0-9]+/)
    .map((word) => {
      const rest = word === word.toUpperCase() ? word.slice(1).toLowerCase() : word.slice(1)
      return word.charAt(0).toUpperCase() + rest
    })
    .join('')
}

/** Leaves out segments that name nothing. */
function listNamedSegments(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .filter((segment) => !/^(v\d+|oauth|api)$/.test(segment))
}

function joinWords(words: string[]): string {
  return words.map(pascalCase).join('')
}

function singular(noun: string): string {
  return noun
    .replace(/ies$/, 'y')
    .replace(/(ss)es$/, '$1')
    .replace(/([^s])s$/, '$1')
}
