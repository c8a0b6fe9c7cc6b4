// Shoppers who buy through the storefront API and pay at the sandbox, each in a way of their own, and do not give up
// when the server is away.
import { setTimeout as sleep } from 'node:timers/promises'

// prettier-ignore
export const ways = {
  approve:    'pays and comes back',
  challenge:  'confirms with the bank, pays and comes back',
  vanish:     'pays and never comes back',
  late:       'comes back before the money has come',
  again:      'is declined, and pays at the second time',
  leave:      'looks at the page of the provider and leaves',
  change:     'orders more meanwhile, and pays both',
  impatient:  'presses every button three times',
  hold:       'pays by a method that is captured later',
} as const

export type Way = keyof typeof ways
export type Bought = { way: Way; order: string | null; refusal: string | null }
type Answer = { status: number; data?: any; error?: any }

const cut = 0
const maximumTries = 400
const pauseMs = 100

export type Market = {
  url: string
  slug: string
  /** Products of which there is enough, and one that runs out for each crowd of shoppers. */
  plenty: string[]
  rare: string[]
  crowd: number
  sandboxUrl: string
}

/** The n-th shopper, from an address of their own. */
export async function buy(market: Market, n: number): Promise<Bought> {
  const way = wayOf(n)
  const shopper = shopperOf(market, n)
  const end = (last: Answer): Bought => ({
    way,
    order: last.data?.order?.id ?? null,
    refusal: last.error?.details?.[0]?.message ?? last.error?.message ?? null,
  })
  const begun = await shopper.begin()
  const token = begun.data?.token
  // The last piece is gone.
  if (!token) return end(begun)
  const first = await shopper.complete(token)
  const redirect = first.data?.payment?.redirect_url
  if (!redirect) return end(first)
  switch (way) {
    case 'leave':
      return end(first)
    case 'vanish':
      await shopper.pay(redirect, 'approve')
      return end(first)
    case 'late':
      await shopper.pay(redirect, 'late')
      return end(await shopper.complete(token))
    case 'challenge':
      await shopper.pay(redirect, 'challenge')
      await shopper.pay(`${redirect}/challenge`, 'approve')
      return end(await shopper.complete(token))
    case 'again': {
      await shopper.pay(redirect, 'decline')
      await shopper.complete(token)
      const second = await shopper.complete(token)
      if (second.data?.payment?.redirect_url) await shopper.pay(second.data.payment.redirect_url, 'approve')
      return end(await shopper.complete(token))
    }
    case 'change': {
      await shopper.order(token, 2)
      const second = await shopper.complete(token)
      const next = second.data?.payment?.redirect_url
      await Promise.all([shopper.pay(redirect, 'approve'), next && shopper.pay(next, 'approve')])
      return end(await shopper.complete(token))
    }
    case 'impatient': {
      await Promise.all([1, 2, 3].map(() => shopper.pay(redirect, 'approve')))
      const answers = await Promise.all([1, 2, 3].map(() => shopper.complete(token)))
      return end(answers.find(({ data }) => data?.order) ?? answers[0]!)
    }
    default:
      await shopper.pay(redirect, 'approve')
      return end(await shopper.complete(token))
  }
}

function wayOf(n: number): Way {
  const rare: Way[] = ['challenge', 'vanish', 'late', 'again', 'leave', 'change', 'impatient', 'hold']
  return n % 2 === 0 ? 'approve' : rare[((n - 1) / 2) % rare.length]!
}

function shopperOf({ url, slug, plenty, rare, crowd, sandboxUrl }: Market, n: number) {
  const address = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address }
  const root = `${url}/storefront/${slug}/checkouts`
  const product_id = n % 5 === 0 ? rare[Math.floor(n / crowd)]! : plenty[n % plenty.length]!
  const call = async (method: string, path: string, body: object) => {
    for (let tries = 1; ; tries++) {
      const answer = await send(root + path, { method, headers, body: JSON.stringify(body) })
      // Another press of the same button is still at work, or the server or the provider is away.
      const isPassing = answer.status === cut || answer.status === 409 || answer.status === 429 || answer.status >= 500
      if (!isPassing || tries === maximumTries) return answer
      await sleep(pauseMs)
    }
  }
  const items = (quantity: number) => ({ items: [{ product_id, quantity }] })
  const person = {
    customer: { name: 'Ana Torres', email: `buyer${n}@example.com` },
    shipping_address: { address: 'Pier 1', city: 'Portland', province: 'ME', country_code: 'US', postal_code: '04101' },
    payment_method: wayOf(n) === 'hold' ? 'wallet' : 'card',
  }
  return {
    begin: () => call('POST', '', { ...items(1), ...person }),
    order: (token: string, quantity: number) => call('PATCH', `/${token}`, items(quantity)),
    complete: (token: string) => call('POST', `/${token}/complete`, { return_url: `${sandboxUrl}/` }),
    pay: async (page: string, what: string) => {
      const body = new URLSearchParams({ do: what, code: '1234' })
      await fetch(page, { method: 'POST', body, redirect: 'manual' })
    },
  }
}

async function send(url: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) })
    return { status: response.status, ...((await response.json()) as object) }
  } catch {
    return { status: cut }
  }
}
