// OpenTelemetry traces of requests, statements, outgoing calls and jobs, sent by OTLP over HTTP. Loaded only if
// OTEL_EXPORTER_OTLP_ENDPOINT is set. Paths, values and addresses of people are not recorded: paths can hold tokens.
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe, type TracingChannel } from 'node:diagnostics_channel'
import os from 'node:os'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Span, type Tracer } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TracerProvider,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { waitAtMost } from '../../kit/values/patience.ts'
import { jobs, statements } from '../../kit/values/tracing.ts'
import { version } from './version.ts'

type Options = { endpoint: string; ratio: number }
type Stop = () => void

const maxFlushMs = 1000
/** The request or job that is under way. */
const current = new AsyncLocalStorage<Span>()

/** Call it before the server is opened. */
export function startTelemetry({ endpoint, ratio }: Options): { close(): Promise<unknown> } {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'stoa',
      'service.version': version,
      'service.instance.id': `${os.hostname()}:${process.pid}`,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }) })],
  })
  const tracer = provider.getTracer('stoa', version)
  const stops = [followRequests(tracer), followStatements(tracer), followJobs(tracer), followCalls(tracer)]
  return {
    close() {
      stops.forEach((stop) => stop())
      return waitAtMost(maxFlushMs, provider.shutdown())
    },
  }
}

/** A caller's traceparent is continued. */
function followRequests(tracer: Tracer): Stop {
  const spans = new WeakMap<FastifyRequest, Span>()
  return listen('fastify.initialization', ({ fastify }: { fastify: FastifyInstance }) => {
    fastify.addHook('onRequest', (request, _reply, done) => {
      const { traceparent } = request.headers
      const caller = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null
      const parent = caller ? trace.setSpanContext(ROOT_CONTEXT, { ...caller, isRemote: true }) : ROOT_CONTEXT
      const route = request.routeOptions.url ?? 'unknown'
      const attributes = { 'http.request.method': request.method, 'http.route': route, 'stoa.request_id': request.id }
      const span = tracer.startSpan(`${request.method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent)
      spans.set(request, span)
      current.run(span, done)
    })
    // Events of a body belong to its connection.
    fastify.addHook('preValidation', (request, _reply, done) => current.run(spans.get(request)!, done))
    fastify.addHook('onResponse', (request, { statusCode }, done) => {
      const span = spans.get(request)
      span?.setAttribute('http.response.status_code', statusCode)
      if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end()
      done()
    })
  })
}

function followStatements(tracer: Tracer): Stop {
  return follow(statements, ({ text }) => {
    const operation = /^\s*(\w+)/.exec(text)?.[1] ?? 'statement'
    const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text }
    return startChild(tracer, operation, SpanKind.CLIENT, attributes)
  })
}

function followJobs(tracer: Tracer): Stop {
  return follow(jobs, ({ name }) => tracer.startSpan(`job ${name}`, { kind: SpanKind.INTERNAL }, ROOT_CONTEXT))
}

/** Code that runs inside the subject has its span as the current one. */
function follow<C extends object>(channel: TracingChannel<unknown, C>, startSpan: (subject: C) => Span): Stop {
  const spans = new WeakMap<object, Span>()
  const subscribers = {
    start() {},
    end() {},
    asyncStart() {},
    error: (subject: C & { error: unknown }) => fail(spans.get(subject), subject.error),
    asyncEnd: (subject: C) => void spans.get(subject)?.end(),
  }
  channel.start.bindStore(current, (subject) => {
    const span = startSpan(subject as C)
    spans.set(subject as C, span)
    return span
  })
  channel.subscribe(subscribers)
  return () => {
    channel.unsubscribe(subscribers)
    channel.start.unbindStore(current)
  }
}

type Call = { request: { method: string; origin: string; addHeader(name: string, value: string): void } }

/** Node's fetch and the guarded fetch. The receiver gets the traceparent. */
function followCalls(tracer: Tracer): Stop {
  const spans = new WeakMap<object, Span>()
  const stops = [
    listen('undici:request:create', ({ request }: Call) => {
      const { method, origin } = request
      const attributes = { 'http.request.method': method, 'server.address': new URL(origin).hostname }
      const span = startChild(tracer, method, SpanKind.CLIENT, attributes)
      const { traceId, spanId, traceFlags } = span.spanContext()
      request.addHeader('traceparent', `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`)
      spans.set(request, span)
    }),
    listen('undici:request:headers', ({ request, response }: Call & { response: { statusCode: number } }) => {
      spans.get(request)?.setAttribute('http.response.status_code', response.statusCode)
    }),
    listen('undici:request:trailers', ({ request }: Call) => spans.get(request)?.end()),
    listen('undici:request:error', ({ request, error }: Call & { error: unknown }) => {
      fail(spans.get(request), error)
      spans.get(request)?.end()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

function startChild(tracer: Tracer, name: string, kind: SpanKind, attributes: Record<string, string>): Span {
  const parent = current.getStore()
  return tracer.startSpan(name, { kind, attributes }, parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT)
}

/** Messages of PostgreSQL can quote values. */
function fail(span: Span | undefined, error: unknown): void {
  const { code, name } = error as NodeJS.ErrnoException
  span?.setAttribute('error.type', String(code ?? name))
  span?.setStatus({ code: SpanStatusCode.ERROR })
}

function listen<T>(channel: string, run: (message: T) => void): Stop {
  const listener = (message: unknown) => run(message as T)
  subscribe(channel, listener)
  return () => unsubscribe(channel, listener)
}
