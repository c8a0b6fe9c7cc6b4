// All providers, by the name stored in payment methods.
import type { ImmediateProvider, ManualProvider, PaymentProvider } from './provider.ts'
import { manual } from './providers/manual.ts'
import { sandbox } from './providers/sandbox.ts'
import { stripe } from './providers/stripe.ts'
import { test } from './providers/test.ts'

type AnyProvider = ManualProvider | ImmediateProvider | PaymentProvider

const providers = { manual, test, stripe, sandbox } satisfies Record<string, AnyProvider>

export type ProviderName = keyof typeof providers

export const providerNames = Object.keys(providers) as ProviderName[]

export function getProvider(name: ProviderName): AnyProvider {
  return providers[name]
}

export function listWallets(name: ProviderName): readonly string[] {
  const provider = getProvider(name)
  return (provider.kind === 'remote' && provider.wallets) || []
}
