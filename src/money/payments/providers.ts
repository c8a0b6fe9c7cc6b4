// Every provider there is, by the name that payment methods have of it.
import type { AtOnce, ByHand, PaymentProvider } from './provider.ts'
import { manual } from './providers/manual.ts'
import { sandbox } from './providers/sandbox.ts'
import { stripe } from './providers/stripe.ts'
import { test } from './providers/test.ts'

type Provider = ByHand | AtOnce | PaymentProvider

const providers = { manual, test, stripe, sandbox } satisfies Record<string, Provider>

export type ProviderName = keyof typeof providers

export const providerNames = Object.keys(providers) as ProviderName[]

export function providerNamed(name: ProviderName): Provider {
  return providers[name]
}
