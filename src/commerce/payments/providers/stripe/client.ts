// The package's client with the fetch function of the call. It is loaded by the first call, because it takes 35 MB of
// memory and 0.15 s, which a service without Stripe should not pay.
import type { Stripe } from 'stripe'
import type { CallContext, ProviderRefusal } from '../../provider.ts'

export async function openStripeClient({ settings, apiUrl, fetch, signal }: CallContext): Promise<Stripe> {
  const { Stripe } = await import('stripe')
  const elsewhere = apiUrl === null ? {} : hostOptions(new URL(apiUrl))
  const send = (url: Parameters<typeof fetch>[0], init?: RequestInit) => fetch(url, { ...init, signal })
  return new Stripe(settings.secret_key ?? '', {
    httpClient: Stripe.createFetchHttpClient(send),
    // The caller decides about retries.
    maxNetworkRetries: 0,
    telemetry: false,
    ...elsewhere,
  })
}

function hostOptions({ protocol, hostname, port }: URL) {
  const scheme = protocol === 'http:' ? ('http' as const) : ('https' as const)
  return { protocol: scheme, host: hostname, port: port || (scheme === 'http' ? '80' : '443') }
}

type StripeFailure = { statusCode?: number; type?: string; message: string; headers?: Record<string, string> }

/** Returns a final refusal as a value. Other errors are thrown, since a retry may succeed. */
export async function catchRefusal<T>(run: () => Promise<T>): Promise<T | ProviderRefusal> {
  try {
    return await run()
  } catch (error) {
    const { statusCode = 0, type, message } = error as StripeFailure
    // https://docs.stripe.com/api/errors: 409 and 429 are temporary.
    const isFinal = [400, 401, 402, 403, 404].includes(statusCode) && type !== 'StripeIdempotencyError'
    if (isFinal) return { refused: message }
    throw error
  }
}

/** Stripe repeats an earlier answer to the same key: https://docs.stripe.com/api/idempotent_requests */
export function isOldServerError(error: unknown): boolean {
  const { statusCode = 0, headers = {} } = error as StripeFailure
  return statusCode >= 500 && headers['idempotent-replayed'] === 'true'
}

/** Null if the signature is not from Stripe, or is too old. */
export function signatureFault<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if ((error as StripeFailure).type === 'StripeSignatureVerificationError') return null
    throw error
  }
}
