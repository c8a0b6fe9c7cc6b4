// Which expressions of a statement a distributed database would not evaluate, by PostgreSQL's own analysis of it: only
// that knows which function stands behind an operator or a cast.
import type pg from 'pg'

export const expressionRules = {
  'stable update': {
    why: 'A function that is not immutable is evaluated before any server is asked: it cannot take a column.',
    isBroken: ({ changes, conflict }) =>
      some(changes, (node) => node.isUnstable && some(node, ({ kind }) => kind === 'VAR')) ||
      some(conflict, isUnstable),
  },
  'stable branch': {
    why: 'What is not immutable is evaluated before any server is asked, whichever branch is taken.',
    isBroken: ({ changes }) =>
      some(changes, (node) => ['CASEEXPR', 'COALESCEEXPR'].includes(node.kind) && some(node, isUnstable)),
  },
  'stable returning': {
    why: 'The server that writes also answers: it calls nothing that is not immutable.',
    isBroken: ({ answer }) => some(answer, isUnstable),
  },
  'simple case': {
    why: 'Evaluating parameters or functions beforehand loses the operand of `case x when`: `case when x =` keeps it.',
    isBroken: ({ all }) => some(all, isSimpleCase) && (isOfOneTable(all) || some(all, isUnstable)),
  },
} satisfies Record<string, { why: string; isBroken(query: Query): boolean }>

export type ExpressionRule = keyof typeof expressionRules

/** Returns the rules that a write breaks; none for a text that this database does not understand. */
export type Analyst = (text: string) => Promise<ExpressionRule[]>

/** An insert, update or delete; `changes` is what an update or delete compares and assigns. */
type Query = { all: Part; changes: Part; conflict: Part; answer: Part }

/** `{OPEXPR :opno 551 :args (…)}`. `isUnstable`: its own function is not immutable. */
type Node = { kind: string; isUnstable: boolean; fields: Record<string, Part> }
type Part = Node | string | Part[]

export async function newAnalyst(client: pg.Client): Promise<Analyst> {
  const unstable = await listUnstable(client)
  let [analysis, count] = ['', 0]
  client.on('notice', ({ message, detail }) => {
    // Of `prepare` itself, a command of kind 6, too.
    if (message === 'parse tree:' && !detail?.startsWith('{QUERY :commandType 6')) analysis = detail ?? ''
  })
  return async (text) => {
    analysis = ''
    await client.query('set debug_pretty_print = off; set debug_print_parse = on; set client_min_messages = log')
    await client.query(`prepare analyzed${++count} as ${text}`).catch(() => {})
    await client.query('reset debug_print_parse; reset client_min_messages')
    const tree = readTree(analysis, unstable)
    if (!tree) return []
    const broken = Object.entries(expressionRules).filter(([, rule]) => rule.isBroken(toQuery(tree)))
    return broken.map(([name]) => name as ExpressionRule)
  }
}

function toQuery({ fields }: Node): Query {
  const { commandType, targetList = [], jointree = [], onConflict = [], returningList = [] } = fields
  // As PostgreSQL numbers them: 3 is an insert.
  const changes = commandType === '3' ? [] : [targetList, jointree]
  return { all: Object.values(fields), changes, conflict: onConflict, answer: returningList }
}

const isUnstable = (node: Node): boolean => node.isUnstable
const isSimpleCase = ({ kind, fields: { arg } }: Node): boolean => kind === 'CASEEXPR' && arg !== '<>'

/** The parameters of such a write are evaluated only once it runs. */
const isOfOneTable = (all: Part): boolean =>
  nodesIn(all)
    .filter(({ kind }) => kind === 'RANGETBLENTRY')
    .toArray().length === 1

/** Within one query: those of a subselect are judged by themselves. */
const some = (part: Part, matches: (node: Node) => boolean): boolean =>
  nodesIn(part, { within: 'QUERY' }).some((node) => matches(node))

function* nodesIn(part: Part, { within = '' } = {}): Generator<Node> {
  if (typeof part === 'string') return
  if (Array.isArray(part)) for (const each of part) yield* nodesIn(each, { within })
  else if (part.kind !== within) {
    yield part
    yield* nodesIn(Object.values(part.fields), { within })
  }
}

/** Numbers of functions that are not immutable, and, marked by their use, of types whose texts depend on settings. */
async function listUnstable(client: pg.Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(`
    select oid::text as name from pg_proc where provolatile <> 'i'
    union all
    select 'out ' || pg_type.oid from pg_type join pg_proc on pg_proc.oid = typoutput where provolatile <> 'i'
    union all
    select 'in ' || pg_type.oid from pg_type join pg_proc on pg_proc.oid = typinput where provolatile <> 'i'`)
  return new Set(rows.map(({ name }) => name))
}

const typeFields = ['vartype', 'consttype', 'paramtype', 'funcresulttype', 'opresulttype', 'resulttype', 'casetype']

/** Reads what PostgreSQL prints with debug_print_parse. */
function readTree(text: string, unstable: ReadonlySet<string>): Node | null {
  const tokens = text.match(/[{}()]|(?:\\.|"(?:\\.|[^"\\])*"|[^\s{}()\\"])+/gs) ?? []
  let place = 0
  const readPart = (): Part => {
    const token = tokens[place++]!
    if (token === '{') return readNode()
    if (token !== '(') return token
    const parts: Part[] = []
    while (tokens[place] !== ')') parts.push(readPart())
    place++
    return parts
  }
  const readNode = (): Node => {
    const node: Node = { kind: tokens[place++]!, isUnstable: false, fields: {} }
    let parts: Part[] = []
    for (; tokens[place] !== '}';) {
      if (!tokens[place]!.startsWith(':')) parts.push(readPart())
      else node.fields[tokens[place++]!.slice(1)] = parts = []
    }
    place++
    for (const [name, [first, ...others]] of Object.entries(node.fields) as [string, Part[]][])
      if (first !== undefined && others.length === 0) node.fields[name] = first
    return { ...node, isUnstable: hasUnstableFunction(node, unstable) }
  }
  return tokens.length > 0 ? (readPart() as Node) : null
}

function hasUnstableFunction({ kind, fields }: Node, unstable: ReadonlySet<string>): boolean {
  if (kind === 'SQLVALUEFUNCTION') return true
  if (kind !== 'COERCEVIAIO') return [fields.funcid, fields.opfuncid].some((name) => unstable.has(String(name)))
  const { fields: from } = fields.arg as Node
  const type = typeFields.map((name) => from[name]).find((one) => one !== undefined)
  return unstable.has(`out ${String(type)}`) || unstable.has(`in ${String(fields.resulttype)}`)
}
