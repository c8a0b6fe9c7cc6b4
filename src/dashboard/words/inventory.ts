import type { WordPairs } from '../../kit/values/language.ts'

// prettier-ignore
export const inventoryWords = {
  inventory:            ['Inventory', 'Inventario'],
  inventory_none:       ['No stock is counted yet', 'Aún no se cuentan existencias'],
  inventory_none_text: ['Switch on the counting of stock on a product: then it stands here, with its variants.',
    'Activa el conteo de existencias en un producto: aparecerá aquí, con sus variantes.'],
  product:              ['Product', 'Producto'],
  variant:              ['Variant', 'Variante'],
  stock_of:             ['Stock of {name}', 'Existencias de {name}'],
  threshold_of:         ['{name} runs low at', '{name}: pocas desde'],
  stock_low_only:       ['Running low', 'Pocas existencias'],
  stock_on_order:       ['Sold without stock', 'Se vende sin existencias'],
  stock_more:           ['and {count} more', 'y {count} más'],
  stock_not_counted:    ['Its stock is not counted.', 'Sus existencias no se cuentan.'],
  stock_adjusted:       ['The stock is adjusted.', 'Las existencias están ajustadas.'],
  stock_after:          ['Then', 'Quedan'],
  stock_history:        ['Movements', 'Movimientos'],
} as const satisfies WordPairs
