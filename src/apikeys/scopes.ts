// Scopes, and the presets under which a merchant picks them.

const nouns = ['products', 'categories', 'inventory', 'orders', 'customers', 'discounts', 'store', 'webhooks'] as const

export const scopes: readonly string[] = [
  ...nouns.flatMap((noun) => [`read:${noun}`, `write:${noun}`]),
  'read:checkout_drafts',
]

export const permissionGroups: Record<string, readonly string[]> = {
  'Catálogo':         ['read:products', 'write:products', 'read:categories', 'write:categories', 'read:inventory', 'write:inventory'],
  'Pedidos':          ['read:orders', 'write:orders'],
  'Clientes':         ['read:customers', 'write:customers'],
  'Marketing':        ['read:discounts', 'write:discounts'],
  'Tienda':           ['read:store', 'write:store'],
  'Automatizaciones': ['read:webhooks', 'write:webhooks', 'read:checkout_drafts'],
}

/** What a credential may do: write implies read of the same resource. */
export function grants(held: readonly string[]): ReadonlySet<string> {
  return new Set(held.flatMap((scope) => (scope.startsWith('write:') ? [scope, scope.replace('write:', 'read:')] : [scope])))
}

export function unknownScopes(wanted: readonly string[]): string[] {
  return wanted.filter((scope) => !scopes.includes(scope))
}
