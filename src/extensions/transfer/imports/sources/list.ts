// The sources of files, in the order in which they are tried.
import { magento } from './magento.ts'
import { marketplaces } from './marketplaces.ts'
import { medusa } from './medusa.ts'
import { shopify } from './shopify.ts'
import { shops } from './shops.ts'
import type { FileSource } from './source.ts'
import { square } from './square.ts'
import { woocommerce } from './woocommerce.ts'

export const sources: readonly FileSource[] = [
  ...shopify,
  ...woocommerce,
  ...medusa,
  ...square,
  ...magento,
  ...shops,
  ...marketplaces,
]

/** `generic`: any other file; `stoa`: one whose columns are all fields of Stoa. */
export const sourceNames = [
  'stoa',
  'shopify',
  'woocommerce',
  'medusa',
  'square',
  'magento',
  'prestashop',
  'bigcommerce',
  'wix',
  'squarespace',
  'etsy',
  'ecwid',
  'google',
  'generic',
] as const
export type SourceName = (typeof sourceNames)[number]
