// A store that has been open for 30 days. The API's own operations create it in one transaction whose time is moved
// through those days.
import type { Tx } from '../kit/database/database.ts'
import { newUuid, toUuid } from '../kit/values/ids.ts'
import type { Actor } from '../kit/declare/route.ts'
import type { Vault } from '../kit/values/secrets.ts'
import type { Reader } from '../kit/declare/shape.ts'
import { sql } from '../kit/database/sql.ts'
import { createCategory } from '../commerce/catalog/categories.ts'
import { category } from '../commerce/catalog/category.ts'
import { createProduct } from '../commerce/catalog/operations.ts'
import { product } from '../commerce/catalog/product.ts'
import { discount } from '../commerce/discounts/discount.ts'
import { createDiscount } from '../commerce/discounts/operations.ts'
import { appearance, changeAppearance } from '../storefront/branding/appearance.ts'
import { changeMenus, menus as menuFields } from '../storefront/branding/menu.ts'
import { storePages } from '../storefront/branding/storepage.ts'
import { buildPictureUrl } from '../commerce/media/picture.ts'
import { createOrder, updateOrder } from '../commerce/orders/operations.ts'
import { newOrder, orderChanges } from '../commerce/orders/order.ts'
import { createFulfillment } from '../commerce/fulfillments/operations.ts'
import { newFulfillment } from '../commerce/fulfillments/fulfillment.ts'
import { createStore } from '../tenancy/stores/operations.ts'
import { orderBumps } from '../tenancy/stores/orderbump.ts'
import { createSetting, type CheckoutSetting } from '../tenancy/stores/setting.ts'
import { shippingRates } from '../tenancy/stores/shippingrate.ts'
import { loadStore, type Store } from '../tenancy/stores/store.ts'
import { paymentMethods } from '../commerce/payments/method.ts'
import { look, menus, pages } from './branding.ts'
import { allPictures, heroPicture, productPictures, wrappingPicture, type DemoPicture } from './pictures.ts'
import {
  bumps,
  categories,
  demoStore,
  buildProductDescription,
  discounts,
  featuredNames,
  demoPaymentMethods,
  person,
  simpleProducts,
  demoShippingRates,
  productsWithVariants,
} from './catalog.ts'
import { abandonCarts, subscribeUnreachableReceiver } from './opentasks.ts'

const actor: Actor = { kind: 'system', id: 'demo' }
const days = 30
const hourMs = 3_600_000
const dayMs = 24 * hourMs
// The number of the newest order, which is not packed yet.
const newestOrder = 99

/** `vault` seals the store's secrets; image URLs begin with `baseUrl`. */
export type DemoDeps = { vault: Vault; baseUrl: string }

/** Adds the demo store to the existing ones. Its pictures are rendered after the commit. */
export async function makeDemo(tx: Tx, { vault, baseUrl }: DemoDeps): Promise<Store> {
  const opening = atOffset(tx, -days * dayMs)
  const store = await openStore(opening)
  const imageUrl = ({ hash, width, height, colour }: DemoPicture) =>
    buildPictureUrl(baseUrl, store.id, { hash, width, height, colour })
  registerPictures(tx, store)
  await configureCheckout(opening, store, { vault, imageUrl })
  await applyBranding(opening, store, imageUrl)
  const products = await addProducts(opening, store, imageUrl)
  await placeOrders(opening, store, products)
  await abandonCarts(tx, store, products, vault)
  await subscribeUnreachableReceiver(tx, store, vault)
  await placeOrder(atOffset(tx, -20 * 60_000), store, products, newestOrder)
  return store
}

/** The same transaction at another time. */
function atOffset(tx: Tx, byMs: number): Tx {
  return tx.at(new Date(tx.now.getTime() + byMs))
}

async function openStore(tx: Tx): Promise<Store> {
  const id = await createStore(tx, demoStore as never)
  return (await loadStore(tx, id))!
}

type ImageUrl = (picture: DemoPicture) => string

/** Registers every picture; requests before it is rendered are told to retry. */
function registerPictures(tx: Tx, store: Store): void {
  for (const { hash, width, height, colour, svg, alt } of allPictures()) {
    tx.later(sql`
    insert into media (store_id, id, hash, width, height, colour, bytes, format, alt_text, created_at, updated_at)
    values (${store.id}, ${newUuid()}, ${hash}, ${width}, ${height}, ${colour}, ${svg.length}, 'png', ${alt},
            ${tx.now}, ${tx.now})`)
  }
}

/** Adds shipping rates, payment methods and an order bump; without the first two the shop takes no orders. */
async function configureCheckout(
  tx: Tx,
  store: Store,
  { vault, imageUrl }: { vault: Vault; imageUrl: ImageUrl },
): Promise<void> {
  const wrappingBumps = bumps.map((bump) => ({ ...bump, image: imageUrl(wrappingPicture) }))
  for (const [setting, bodies] of [
    [shippingRates, demoShippingRates],
    [paymentMethods, demoPaymentMethods],
    [orderBumps, wrappingBumps],
  ] as const) {
    for (const [position, body] of bodies.entries())
      await addSetting(tx, store, setting, { ...body, position }, { vault })
  }
}

async function addSetting(
  tx: Tx,
  store: Store,
  setting: CheckoutSetting,
  body: object,
  deps: object = {},
): Promise<void> {
  const values = setting.resource.create.read(body, store)
  await createSetting(tx, store, setting, values as object, deps)
}

async function applyBranding(tx: Tx, store: Store, imageUrl: ImageUrl): Promise<void> {
  const whole = { ...look, hero_image: imageUrl(heroPicture) }
  await changeAppearance(tx, store, appearance.patch.read(whole, store))
  for (const page of pages) await addSetting(tx, store, storePages, page)
  await changeMenus(tx, store, menuFields.patch.read(menus, store))
}

type DemoProduct = { id: string; variants: { id: string }[]; stock_quantity: number }

async function addProducts(tx: Tx, store: Store, imageUrl: ImageUrl): Promise<DemoProduct[]> {
  const read = <T>(reader: Reader<T>, body: object): T => reader.read(body, store)
  const idOf = new Map<string, string>()
  for (const name of categories) {
    const [first] = simpleProducts.find(([, of]) => of === name)!
    const image = imageUrl(productPictures.get(first)!.main)
    const { id } = await createCategory(tx, store, read(category.create, { name, image }))
    idOf.set(name, id)
  }
  const buildProductImages = (name: string) => {
    const { main, gallery } = productPictures.get(name)!
    const images = gallery.map((picture) => ({ url: imageUrl(picture), alt_text: picture.alt }))
    return { main_image: imageUrl(main), gallery: images }
  }

  const bodies = [
    ...simpleProducts.map(([name, of, price, compare_price, stock_quantity, , text], n) => ({
      ...buildProductImages(name),
      name,
      description: buildProductDescription(name, text),
      fast_shipping: n % 3 === 0,
      warranty_months: of === 'Gifts' ? null : 24,
      price,
      compare_price,
      stock_quantity,
      track_inventory: true,
      category_id: idOf.get(of),
      sku: `HP-${100 + n}`,
      is_featured: featuredNames.includes(name),
      supplier_cost: Math.round(price * 45) / 100,
    })),
    ...productsWithVariants.map(({ name, category: of, price, description, drawings, sizes }, n) => ({
      ...buildProductImages(name),
      name,
      price,
      description,
      category_id: idOf.get(of),
      sku: `HP-${200 + n}`,
      track_inventory: true,
      options: Object.entries(buildProductOptions(drawings, sizes)).map(([title, values]) => ({ title, values })),
      variants: combinations(buildProductOptions(drawings, sizes)).map((option_values, at) => ({
        option_values,
        image: imageUrl(productPictures.get(name)!.variants[option_values[0]!.value]!),
        stock_quantity: 4 + at * 3,
        manage_inventory: true,
        sku: `HP-${200 + n}-${at + 1}`,
      })),
    })),
    { name: 'Advent box', price: 99, product_status: 'draft', description: 'Coming in December.' },
  ]
  const products: DemoProduct[] = []
  for (const body of bodies) products.push((await createProduct(tx, store, read(product.create, body), actor)).entity)
  for (const body of discounts) await createDiscount(tx, store, read(discount.create, body))
  return products.slice(0, -1)
}

function buildProductOptions(drawings: object, sizes: string[]): Record<string, string[]> {
  return { Color: Object.keys(drawings), ...(sizes.length > 0 ? { Size: sizes } : {}) }
}

type Combination = { option_title: string; value: string }[]

function combinations(options: Record<string, string[]>): Combination[] {
  return Object.entries(options).reduce<Combination[]>(
    (rows, [option_title, values]) => rows.flatMap((row) => values.map((value) => [...row, { option_title, value }])),
    [[]],
  )
}

/** Places one to three orders a day, more towards the end; the same on every run. */
async function placeOrders(opening: Tx, store: Store, products: DemoProduct[]): Promise<void> {
  let n = 0
  for (let day = 0; day < days; day++) {
    const orders = 1 + ((day * 7) % 3) - (day < 10 && day % 4 === 0 ? 1 : 0)
    for (let each = 0; each < orders; each++, n++) {
      await placeOrder(atOffset(opening, day * dayMs + (9 + each * 4) * hourMs), store, products, n)
    }
  }
}

async function placeOrder(tx: Tx, store: Store, products: DemoProduct[], n: number): Promise<void> {
  const { name, email, phone, shipping_address } = person(n % 23)
  const inStock = products.filter(({ stock_quantity }) => stock_quantity > 5)
  const choice = [inStock[(n * 7) % inStock.length]!, ...(n % 3 === 0 ? [inStock[(n * 11 + 5) % inStock.length]!] : [])]
  const body = newOrder.read(
    {
      items: choice.map(({ id, variants }) => ({
        product_id: id,
        quantity: 1 + (n % 5 === 0 ? 1 : 0),
        variant_id: variants[n % 2]?.id,
      })),
      customer_name: name,
      customer_email: email,
      customer_phone: phone,
      shipping_address,
      shipping_method: n % 4 === 0 ? 'express' : 'standard',
      shipping_cost: n % 4 === 0 ? 14 : 6,
      payment_method: n % 3 === 0 ? 'bank_transfer' : 'card',
      payment_status: n % 3 === 0 ? 'pending' : 'paid',
      ...(n % 6 === 1 ? { discount_code: 'WELCOME10' } : {}),
    },
    store,
  )
  const { id } = await createOrder(tx, store, body as never, actor)
  const orderId = toUuid('ord', id)!
  // The newest orders are not packed yet.
  const next =
    n % 17 === 8
      ? { status: 'cancelled', cancel_reason: 'customer' }
      : n < 44
        ? { status: 'completed', payment_status: 'paid' }
        : null
  if (!next) return
  if (next.status === 'completed') {
    const parcel = newFulfillment.read({ carrier: 'UPS', tracking_number: `1Z0000000000${1000 + n}` }, store)
    await createFulfillment(atOffset(tx, 22 * hourMs), store, orderId, parcel)
  }
  const isWhole = n % 3 === 0 || next.status === 'cancelled'
  const changes = orderChanges.read(isWhole ? next : { status: next.status }, store)
  await updateOrder(atOffset(tx, 26 * hourMs), store, orderId, changes, actor)
}
