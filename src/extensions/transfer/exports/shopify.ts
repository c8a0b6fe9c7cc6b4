// Rows of an export in the columns that Shopify imports. What a column of Shopify cannot say is left out.
import { proseHtml } from '../../../storefront/branding/markdown.ts'
import type { CustomerAddress } from '../../../commerce/customers/address.ts'
import { billingParts } from '../imports/fields.ts'
import type { ExportRow } from './row.ts'

export const shopifyKinds = ['products', 'customers', 'orders'] as const
export type ShopifyKind = (typeof shopifyKinds)[number]

const options = [1, 2, 3]

export const shopifyColumns: Record<ShopifyKind, readonly string[]> = {
  products: [
    ...['Handle', 'Title', 'Body (HTML)', 'Vendor', 'Type', 'Tags', 'Published'],
    ...options.flatMap((n) => [`Option${n} Name`, `Option${n} Value`]),
    ...['Variant SKU', 'Variant Grams', 'Variant Inventory Tracker', 'Variant Inventory Qty'],
    ...['Variant Inventory Policy', 'Variant Fulfillment Service', 'Variant Price', 'Variant Compare At Price'],
    ...['Variant Requires Shipping', 'Variant Taxable', 'Variant Barcode', 'Image Src', 'Image Position'],
    ...['Image Alt Text', 'Gift Card', 'SEO Title', 'SEO Description', 'Variant Image', 'Variant Weight Unit'],
    ...['Cost per item', 'Status', 'Collection'],
  ],
  customers: [
    ...['First Name', 'Last Name', 'Email', 'Accepts Email Marketing', 'Default Address Company'],
    ...['Default Address Address1', 'Default Address Address2', 'Default Address City'],
    ...['Default Address Province Code', 'Default Address Country Code', 'Default Address Zip'],
    ...['Default Address Phone', 'Phone', 'Accepts SMS Marketing', 'Tags', 'Note', 'Tax Exempt'],
  ],
  orders: [
    ...['Name', 'Email', 'Financial Status', 'Paid at', 'Fulfillment Status', 'Fulfilled at', 'Accepts Marketing'],
    ...['Currency', 'Subtotal', 'Shipping', 'Taxes', 'Total', 'Discount Code', 'Discount Amount', 'Shipping Method'],
    ...['Created at', 'Lineitem quantity', 'Lineitem name', 'Lineitem price', 'Lineitem sku', 'Billing Name'],
    ...['Billing Phone', 'Billing Address1', 'Billing Address2', 'Billing Company', 'Billing City', 'Billing Zip'],
    ...[
      'Billing Province',
      'Billing Country',
      'Shipping Name',
      'Shipping Address1',
      'Shipping Address2',
      'Shipping Company',
    ],
    ...['Shipping City', 'Shipping Zip', 'Shipping Province', 'Shipping Country', 'Shipping Phone', 'Notes'],
    ...['Cancelled at', 'Payment Method', 'Refunded Amount', 'Tags', 'Phone', 'Lineitem requires shipping'],
  ],
}

/** The rows of whole records. */
export function toShopifyRows(kind: ShopifyKind, rows: readonly ExportRow[]): ExportRow[] {
  if (kind === 'customers') return rows.map(buildCustomerRow)
  const records = Map.groupBy(rows, (row) => row[kind === 'products' ? 'slug' : 'order_number'])
  return [...records.values()].flatMap(kind === 'products' ? buildProductRows : buildOrderRows)
}

/** A row has a variant and an image, which need not belong together. */
function buildProductRows(rows: ExportRow[]): ExportRow[] {
  const product = rows[0]!
  const images = rows.filter(({ image_url }) => image_url)
  const variants = rows.filter(({ row_type }) => row_type === 'variation')
  const sold = variants.length > 0 ? variants : [product]
  return Array.from({ length: Math.max(sold.length, images.length) }, (_, at) => {
    const { image_url, image_alt } = images[at] ?? {}
    return {
      Handle: product.slug,
      ...(at === 0 ? buildProductCells(product) : {}),
      ...(sold[at] ? buildVariantCells(sold[at], product, at === 0) : {}),
      ...(image_url ? { 'Image Src': image_url, 'Image Position': at + 1, 'Image Alt Text': image_alt } : {}),
    }
  })
}

function buildProductCells(product: ExportRow): ExportRow {
  const { name, description, brand, category, tags, product_status: status, collections } = product
  return {
    Title: name,
    'Body (HTML)': description ? proseHtml(String(description), { root: '' }).trim() : null,
    Vendor: brand,
    Type: category,
    Tags: joinTags(tags),
    Published: status === 'active',
    'Gift Card': false,
    'SEO Title': product.seo_title,
    'SEO Description': product.seo_description,
    Status: status,
    // A product has one collection in a file of Shopify.
    Collection: [collections].flat()[0],
  }
}

/** What a variant does not have is that of its product. */
function buildVariantCells(row: ExportRow, product: ExportRow, isFirst: boolean): ExportRow {
  const isVariant = row !== product
  const priced = row.price === null ? { ...row, price: product.price, compare_price: product.compare_price } : row
  const tracked = row.track_inventory === true
  const names = (n: number) => (isFirst ? { [`Option${n} Name`]: row[`option${n}_name`] } : {})
  const values = options.map((n) => ({ ...names(n), [`Option${n} Value`]: row[`option${n}_value`] }))
  return {
    ...(isVariant ? Object.assign({}, ...values) : { 'Option1 Name': 'Title', 'Option1 Value': 'Default Title' }),
    'Variant SKU': row.sku,
    'Variant Grams': row.weight ?? product.weight,
    'Variant Inventory Tracker': tracked ? 'shopify' : null,
    'Variant Inventory Qty': tracked ? row.stock_quantity : null,
    'Variant Inventory Policy': row.continue_selling === true ? 'continue' : 'deny',
    'Variant Fulfillment Service': 'manual',
    'Variant Price': priced.price,
    'Variant Compare At Price': priced.compare_price,
    'Variant Requires Shipping': row.requires_shipping ?? product.requires_shipping,
    'Variant Taxable': true,
    'Variant Barcode': row.barcode,
    'Variant Image': isVariant ? row.image : null,
    'Variant Weight Unit': 'g',
    'Cost per item': row.supplier_cost ?? product.supplier_cost,
  }
}

function buildCustomerRow({ name, email, phone, addresses, tags, notes, ...row }: ExportRow): ExportRow {
  const all = (addresses ?? []) as CustomerAddress[]
  const address = all.find(({ is_default_shipping }) => is_default_shipping) ?? all[0]
  const [first, ...rest] = String(name).split(' ')
  return {
    'First Name': first,
    'Last Name': rest.join(' '),
    Email: email,
    'Accepts Email Marketing': row.accepts_marketing === true ? 'yes' : 'no',
    'Default Address Company': address?.company,
    'Default Address Address1': address?.address,
    'Default Address Address2': address?.address_2,
    'Default Address City': address?.city,
    'Default Address Province Code': address?.province,
    'Default Address Country Code': address?.country_code,
    'Default Address Zip': address?.postal_code,
    'Default Address Phone': address?.phone,
    Phone: phone,
    'Accepts SMS Marketing': 'no',
    Tags: joinTags(tags),
    Note: notes,
    'Tax Exempt': row.tax_exempt === true ? 'yes' : 'no',
  }
}

/** The words that other systems have for a refund of a part, and for a payment that failed. */
function nameFinancialStatus({ payment_status: status, refunded_amount: refunded }: ExportRow): unknown {
  if (status === 'failed') return 'voided'
  return status === 'paid' && Number(refunded) > 0 ? 'partially_refunded' : status
}

function buildOrderRows([order, ...items]: ExportRow[]): ExportRow[] {
  const cells = buildOrderCells(order!)
  const rows = items.length > 0 ? items : [{}]
  return rows.map((item, at) => ({
    Name: `#${order!.order_number}`,
    ...(at === 0 ? cells : {}),
    'Lineitem quantity': item.item_quantity,
    'Lineitem name': [item.item_name, item.item_variant].filter(Boolean).join(' - '),
    'Lineitem price': item.item_price,
    'Lineitem sku': item.item_sku,
    'Lineitem requires shipping': item.item_requires_shipping,
  }))
}

function buildOrderCells(order: ExportRow): ExportRow {
  const { total, taxes = 0, shipping_cost = 0, discount_amount = 0 } = order
  return {
    Email: order.customer_email,
    'Financial Status': nameFinancialStatus(order),
    'Fulfillment Status': order.fulfillment_status,
    Currency: order.currency,
    Subtotal: Number((Number(total) - Number(taxes) - Number(shipping_cost)).toFixed(6)),
    Shipping: shipping_cost,
    Taxes: taxes,
    Total: total,
    'Discount Code': order.discount_code,
    'Discount Amount': discount_amount,
    'Shipping Method': order.shipping_method,
    'Created at': order.created_at,
    ...buildBillingCells(order),
    'Shipping Name': order.address_name,
    'Shipping Address1': order.address_line_1,
    'Shipping Address2': order.address_line_2,
    'Shipping Company': order.address_company,
    'Shipping City': order.address_city,
    'Shipping Zip': order.address_postal_code,
    'Shipping Province': order.address_province,
    'Shipping Country': order.address_country,
    'Shipping Phone': order.address_phone,
    Notes: order.customer_notes,
    'Cancelled at': order.cancelled_at,
    'Payment Method': order.payment_method,
    'Refunded Amount': order.refunded_amount,
    Tags: joinTags(order.tags),
    Phone: order.customer_phone,
  }
}

/** Shopify repeats the shipping address. */
function buildBillingCells(order: ExportRow): ExportRow {
  const isOwn = Object.keys(billingParts).some((name) => order[name])
  const cell = (name: string) => (isOwn ? order[`billing_${name}`] : order[`address_${name}`])
  return {
    'Billing Name': (isOwn && order.billing_name) || order.customer_name,
    'Billing Phone': (isOwn && order.billing_phone) || order.customer_phone,
    'Billing Address1': cell('line_1'),
    'Billing Address2': cell('line_2'),
    'Billing Company': cell('company'),
    'Billing City': cell('city'),
    'Billing Zip': cell('postal_code'),
    'Billing Province': cell('province'),
    'Billing Country': cell('country'),
  }
}

function joinTags(tags: unknown): string {
  return Array.isArray(tags) ? tags.join(', ') : ''
}
