// The releases of the Universal Commerce Protocol (https://ucp.dev), and their names of its parts.

/** Newest first. */
export const releases = ['2026-08-25', '2026-04-08'] as const
export type Release = (typeof releases)[number]

export const newest: Release = releases[0]

export function isRelease(version: string): version is Release {
  return releases.some((release) => release === version)
}

/** The member of a profile with its public keys, by release. */
export const keysMember = { '2026-08-25': 'keys', '2026-04-08': 'signing_keys' } as const satisfies Record<
  Release,
  string
>

export const service = 'dev.ucp.shopping'

type CapabilityPart = {
  /** Path below /schemas/shopping, in every release. */
  schema: string
  /** Path below /specification, by release. */
  spec: Record<Release, string>
  /** The capabilities that it extends. */
  extends?: string | string[]
}

const shoppingPart = (name: string, schema = name): CapabilityPart => ({
  schema,
  spec: { '2026-08-25': `shopping/${name}`, '2026-04-08': name },
})
const extension = (name: string, parents: string | string[]): CapabilityPart => ({
  schema: name,
  spec: { '2026-08-25': `shopping/extensions/${name}`, '2026-04-08': name },
  extends: parents,
})

const capabilities = {
  'dev.ucp.shopping.catalog.search': shoppingPart('catalog/search', 'catalog_search'),
  'dev.ucp.shopping.catalog.lookup': shoppingPart('catalog/lookup', 'catalog_lookup'),
  'dev.ucp.shopping.cart': shoppingPart('cart'),
  'dev.ucp.shopping.checkout': shoppingPart('checkout'),
  'dev.ucp.shopping.order': shoppingPart('order'),
  'dev.ucp.shopping.fulfillment': extension('fulfillment', 'dev.ucp.shopping.checkout'),
  'dev.ucp.shopping.discount': extension('discount', ['dev.ucp.shopping.checkout', 'dev.ucp.shopping.cart']),
} satisfies Record<string, CapabilityPart>

export type Capability = keyof typeof capabilities
const parts: Record<Capability, CapabilityPart> = capabilities
export const capabilityNames = Object.keys(capabilities) as Capability[]

/** The parent capabilities; empty without any. */
function listParentCapabilities(name: Capability): readonly string[] {
  return [parts[name].extends ?? []].flat()
}

/** The capability's entry in a profile. */
export function declareCapability(name: Capability, release: Release): object {
  const { schema, spec, extends: parents } = parts[name]
  return {
    version: release,
    spec: `${documents(release)}/specification/${spec[release]}`,
    schema: `${documents(release)}/schemas/shopping/${schema}.json`,
    ...(parents ? { extends: parents } : {}),
  }
}

export function documents(release: Release): string {
  return `https://ucp.dev/${release}`
}

/** The capabilities that are active for an agent: with a common version, and with a parent if they extend one. */
export function intersection(capabilities: ReadonlyMap<string, readonly string[]>, release: Release): Set<Capability> {
  const active = new Set(capabilityNames.filter((name) => capabilities.get(name)?.includes(release)))
  // None extends an extension, so one round is enough.
  for (const name of active) {
    const parents = listParentCapabilities(name)
    if (parents.length > 0 && !parents.some((parent) => active.has(parent as Capability))) active.delete(name)
  }
  return active
}

/** The active capabilities of a response: its own, and those that extend it. */
export function relevant(active: ReadonlySet<Capability>, root: Capability, release: Release): object {
  const names = [...active].filter((name) => name === root || listParentCapabilities(name).includes(root))
  return Object.fromEntries(names.map((name) => [name, [{ version: release }]]))
}
