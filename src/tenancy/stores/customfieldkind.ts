// The records that custom fields are added to. Settings name them too, which fields are made of.
export const customFieldKinds = ['product', 'variant', 'customer', 'order'] as const
export type CustomFieldKind = (typeof customFieldKinds)[number]
