// Scopes, and the presets under which a merchant picks them.

const nouns = ['products', 'categories', 'inventory', 'orders', 'customers', 'discounts', 'store', 'webhooks']

export const scopes: readonly string[] = [
  ...both(...nouns, 'audit'),
  'read:checkout_drafts',
  'read:requests',
  ...nouns.map((noun) => `propose:${noun}`),
]

// prettier-ignore
export const permissionGroups: Record<string, readonly string[]> = {
  'Catálogo':         both('products', 'categories', 'inventory'),
  'Pedidos':          both('orders'),
  'Clientes':         both('customers'),
  'Marketing':        both('discounts'),
  'Tienda':           [...both('store'), 'read:audit'],
  'Automatizaciones': [...both('webhooks'), 'read:checkout_drafts'],
}

function both(...nouns: string[]): string[] {
  return nouns.flatMap((noun) => [`read:${noun}`, `write:${noun}`])
}

/** The event log has the data of other resources. Reading and writing webhooks imply it, proposing does not. */
export const eventLogScope = 'read:event_log'

/** Expands scopes: write implies propose, and both imply read of the same resource. */
export function grants(ownScopes: readonly string[]): ReadonlySet<string> {
  return new Set(ownScopes.flatMap((scope) => [scope, ...impliedBy(scope)]))
}

function impliedBy(scope: string): string[] {
  const [access, noun] = scope.split(':')
  switch (access) {
    case 'read':
      return noun === 'webhooks' ? [eventLogScope] : []
    case 'write':
      return [`propose:${noun}`, `read:${noun}`, ...impliedBy(`read:${noun}`)]
    case 'propose':
      return [`read:${noun}`]
    default:
      return []
  }
}

export function unknownScopes(names: readonly string[]): string[] {
  return names.filter((scope) => !scopes.includes(scope))
}
