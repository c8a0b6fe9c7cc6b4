// What the conformance suite of the Model Context Protocol calls beside the protocol itself: tools, prompts and
// resources of its own, which no store has. Registered on the servers of /mcp, in tests alone.
import { createHmac } from 'node:crypto'
import { mock } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type CallToolResult,
  type ClientCapabilities,
  type GetPromptResult,
  type InputRequiredResult,
  type InputRequests,
  type ServerContext,
} from '@modelcontextprotocol/server'

type ToolFixture = (context: ServerContext) => CallToolResult | InputRequiredResult | Promise<CallToolResult>
type PromptFixture = {
  arguments?: string[]
  get(given: Record<string, string>, context: ServerContext): GetPromptResult | InputRequiredResult
}

const text = (line: string) => ({ type: 'text' as const, text: line })
const say = (line: string): CallToolResult => ({ content: [text(line)] })
// A red pixel, and a silence.
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='
const image = { type: 'image' as const, data: pixel, mimeType: 'image/png' }
const embedded = (uri: string, mimeType: string, content: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: content },
})

const asking = (message: string, name: string, property: { type: 'string' } | { type: 'boolean' }) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: property }, required: [name] },
  })
const askFor = (message: string, name: string) => asking(message, name, { type: 'string' })
const confirm = () => asking('Please confirm', 'ok', { type: 'boolean' })
const askModel = (question: string) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(question) }], maxTokens: 100 })

/** An answer of the client to one of the requests; null: it has given none. */
function answerTo({ mcpReq }: ServerContext, key: string): unknown {
  const view = inputResponse(mcpReq.inputResponses, key)
  return view.kind === 'missing' ? null : view
}

/** Asks until all are answered. */
function askAll(context: ServerContext, inputRequests: InputRequests, state?: string): InputRequiredResult | null {
  const isAnswered = Object.keys(inputRequests).every((key) => answerTo(context, key) !== null)
  if (isAnswered) return null
  return inputRequired({ inputRequests, ...(state === undefined ? {} : { requestState: signed(state) }) })
}

// State that a client could change is signed.
const sign = (state: string) => createHmac('sha256', 'the key of the fixtures').update(state).digest('base64url')
const signed = (state: string) => `${state}.${sign(state)}`

function stateOf({ mcpReq }: ServerContext): string | null {
  const sent = mcpReq.requestState<string>()
  if (sent === undefined) return null
  const [state = ''] = sent.split('.')
  if (sent !== signed(state)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'requestState was changed')
  return state
}

function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope: Record<string, unknown> = mcpReq.envelope ?? {}
  return (envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? {}
}

async function progress({ mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken
  for (const done of [0, 50, 100]) {
    if (progressToken !== undefined) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: done, total: 100 } })
    }
    await wait(20)
  }
  return say('Done')
}

function multiRound(context: ServerContext): CallToolResult | InputRequiredResult {
  const state = stateOf(context)
  if (state === 'second') {
    const color = acceptedContent<{ color: string }>(context.mcpReq.inputResponses, 'step2')
    if (color) return say(`Your color is ${color.color}`)
  }
  const isFirstAnswered = state === 'first' && answerTo(context, 'step1') !== null
  return isFirstAnswered || state === 'second'
    ? askAll(context, { step2: askFor('Step 2: What is your favorite color?', 'color') }, 'second')!
    : askAll(context, { step1: askFor('Step 1: What is your name?', 'name') }, 'first')!
}

const tools: Record<string, ToolFixture> = {
  test_simple_text: () => say('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => ({
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  }),
  test_tool_with_progress: progress,
  test_logging_tool: async ({ mcpReq }) => {
    await mcpReq.log('info', 'Working')
    return say('Done')
  },
  test_missing_capability: (context) => {
    if (!capabilitiesOf(context).sampling) {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    }
    return say('Sampling is supported')
  },
  test_streaming_elicitation: (context) =>
    askAll(context, { user_name: askFor('What is your name?', 'name') }) ?? say('Thank you'),
  test_input_required_result_elicitation: (context) => {
    const accepted = acceptedContent<{ name: string }>(context.mcpReq.inputResponses, 'user_name')
    if (typeof accepted?.name === 'string') return say(`Hello, ${accepted.name}!`)
    return inputRequired({ inputRequests: { user_name: askFor('What is your name?', 'name') } })
  },
  test_input_required_result_sampling: (context) =>
    askAll(context, { capital_question: askModel('What is the capital of France?') }) ??
    say(JSON.stringify(answerTo(context, 'capital_question'))),
  test_input_required_result_list_roots: (context) =>
    askAll(context, { client_roots: inputRequired.listRoots() }) ??
    say(JSON.stringify(answerTo(context, 'client_roots'))),
  test_input_required_result_request_state: (context) => {
    const state = stateOf(context)
    return askAll(context, { confirm: confirm() }, 'confirming') ?? say(`state-ok ${state}`)
  },
  test_input_required_result_multiple_inputs: (context) => {
    stateOf(context)
    const requests = {
      user_name: askFor('What is your name?', 'name'),
      greeting: askModel('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    }
    return askAll(context, requests, 'asking') ?? say('All are answered')
  },
  test_input_required_result_multi_round: multiRound,
  test_input_required_result_tampered_state: (context) => {
    stateOf(context)
    return askAll(context, { confirm: confirm() }, 'confirming') ?? say('Confirmed')
  },
  test_input_required_result_capabilities: (context) => {
    const { elicitation, sampling } = capabilitiesOf(context)
    return inputRequired({
      inputRequests: {
        ...(elicitation ? { user_name: askFor('What is your name?', 'name') } : {}),
        ...(sampling ? { greeting: askModel('Generate a greeting') } : {}),
      },
    })
  },
}

const prompt = (...content: GetPromptResult['messages'][number]['content'][]): GetPromptResult => ({
  messages: content.map((one) => ({ role: 'user', content: one })),
})

const prompts: Record<string, PromptFixture> = {
  test_simple_prompt: { get: () => prompt(text('This is a simple prompt for testing.')) },
  test_prompt_with_arguments: {
    arguments: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => prompt(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  test_prompt_with_embedded_resource: {
    arguments: ['resourceUri'],
    get: ({ resourceUri }) =>
      prompt(
        embedded(resourceUri!, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  },
  test_prompt_with_image: { get: () => prompt(image, text('Please analyze the image above.')) },
  test_input_required_result_prompt: {
    get: (_given, context) =>
      askAll(context, { user_context: askFor('What context should the prompt use?', 'context') }) ??
      prompt(text('With your context')),
  },
}

const resources: Record<string, { mimeType: string; text?: string; blob?: string }> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: pixel },
}

function readResource(uri: string) {
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? []
  const data = { id, templateTest: true, data: `Data for ID: ${id}` }
  const found = id ? { mimeType: 'application/json', text: JSON.stringify(data) } : resources[uri]
  if (!found) throw new ResourceNotFoundError(uri)
  return { contents: [{ uri, ...found } as { uri: string; text: string }] }
}

const handlers: { [method: string]: (request: any, context: ServerContext) => unknown } = {
  'tools/list': () => ({
    tools: Object.keys(tools).map((name) => ({ name, description: name, inputSchema: { type: 'object' } })),
  }),
  'tools/call': ({ params: { name } }, context) => named(tools, name)(context),
  'prompts/list': () => ({
    prompts: Object.entries(prompts).map(([name, one]) => ({
      name,
      description: name,
      arguments: (one.arguments ?? []).map((argument) => ({ name: argument, required: true })),
    })),
    ttlMs: 1000,
    cacheScope: 'public',
  }),
  'prompts/get': ({ params }, context) => named(prompts, params.name).get(params.arguments ?? {}, context),
  'resources/list': () => ({
    resources: Object.entries(resources).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
  }),
  'resources/templates/list': () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  }),
  'resources/read': ({ params: { uri } }) => readResource(uri),
  'completion/complete': () => ({ completion: { values: ['paris'], total: 1, hasMore: false } }),
}

function named<T>(fixtures: Record<string, T>, name: string): T {
  const found = fixtures[name]
  if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown name: ${name}`)
  return found
}

/** Meanwhile, servers of this process have the fixtures in place of their own tools and resources. */
export async function withFixtures(work: () => Promise<void>): Promise<void> {
  const prepared = new WeakSet<Server>()
  const { setRequestHandler } = Server.prototype as any
  const registering = mock.method(Server.prototype as any, 'setRequestHandler', register)
  try {
    await work()
  } finally {
    registering.mock.restore()
  }

  function register(this: Server, method: string, own: unknown): void {
    if (!(method in handlers)) return setRequestHandler.call(this, method, own)
    if (prepared.has(this)) return
    prepared.add(this)
    this.registerCapabilities({ prompts: {}, completions: {}, logging: {} })
    for (const [name, handler] of Object.entries(handlers)) setRequestHandler.call(this, name, handler)
  }
}
