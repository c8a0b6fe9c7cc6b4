// A store that has been open for 30 days, made by the operations that the API uses, in one transaction that is moved
// through those days.
import type { Tx } from '../kit/database/database.ts'
import { newUuid, uuidOf } from '../kit/values/ids.ts'
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
import { urlOf } from '../commerce/media/picture.ts'
import { createOrder, updateOrder } from '../commerce/orders/operations.ts'
import { newOrder, orderChanges } from '../commerce/orders/order.ts'
import { createStore } from '../tenancy/stores/operations.ts'
import { orderBumps } from '../tenancy/stores/orderbump.ts'
import { createSetting, type Setting } from '../tenancy/stores/setting.ts'
import { shippingRates } from '../tenancy/stores/shippingrate.ts'
import { loadStore, type Store } from '../tenancy/stores/store.ts'
import { paymentMethods } from '../money/payments/method.ts'
import { look, menus, pages } from './front.ts'
import { allPictures, heroPicture, productPictures, wrappingPicture, type Drawn } from './pictures.ts'
import {
  bumps,
  categories,
  demoStore,
  describe,
  discounts,
  featured,
  methods,
  person,
  plain,
  rates,
  varied,
} from './shelf.ts'
import { leaveCarts, subscribeNobody } from './unfinished.ts'

const actor: Actor = { kind: 'system', id: 'demo' }
const days = 30
const hourMs = 3_600_000
const dayMs = 24 * hourMs
// Of the orders that wait to be packed.
const latest = 99

/** What it is made with: what seals its secrets, and what the addresses of its pictures begin with. */
export type Making = { vault: Vault; baseUrl: string }

/** Makes the demo store beside what there is. Its pictures are hung when this is committed. */
export async function makeDemo(tx: Tx, { vault, baseUrl }: Making): Promise<Store> {
  const opening = later(tx, -days * dayMs)
  const store = await openStore(opening)
  const address = ({ hash, width, height, colour }: Drawn) => urlOf(baseUrl, store.id, { hash, width, height, colour })
  namePictures(tx, store)
  await openCheckout(opening, store, { vault, address })
  await dressFront(opening, store, address)
  const products = await fillShelves(opening, store, address)
  await sellFor30Days(opening, store, products)
  await leaveCarts(tx, store, products, vault)
  await subscribeNobody(tx, store, vault)
  await sell(later(tx, -20 * 60_000), store, products, latest)
  return store
}

/** The transaction some time after, or before, its own time. */
function later(tx: Tx, byMs: number): Tx {
  return tx.at(new Date(tx.now.getTime() + byMs))
}

async function openStore(tx: Tx): Promise<Store> {
  const id = await createStore(tx, demoStore as never)
  return (await loadStore(tx, sql`stores.id = ${id}`))!
}

type Address = (picture: Drawn) => string

/** They are known from now on; whoever asks for one before it is drawn is told to come again. */
function namePictures(tx: Tx, store: Store): void {
  for (const { hash, width, height, colour, svg, alt } of allPictures()) {
    tx.later(sql`
    insert into media (store_id, id, hash, width, height, colour, bytes, format, alt_text, created_at, updated_at)
    values (${store.id}, ${newUuid()}, ${hash}, ${width}, ${height}, ${colour}, ${svg.length}, 'png', ${alt},
            ${tx.now}, ${tx.now})`)
  }
}

/** Ways to send and to pay, and an offer: without them its pages would take no orders. */
async function openCheckout(
  tx: Tx,
  store: Store,
  { vault, address }: { vault: Vault; address: Address },
): Promise<void> {
  const wrapped = bumps.map((bump) => ({ ...bump, image: address(wrappingPicture) }))
  for (const [setting, bodies] of [
    [shippingRates, rates],
    [paymentMethods, methods],
    [orderBumps, wrapped],
  ] as const) {
    for (const [position, body] of bodies.entries()) await set(tx, store, setting, { ...body, position }, { vault })
  }
}

async function set(tx: Tx, store: Store, setting: Setting, body: object, tools: object = {}): Promise<void> {
  const values = setting.resource.create.read(body, { ...store, now: tx.now })
  await createSetting(tx, store, setting, values as object, tools)
}

async function dressFront(tx: Tx, store: Store, address: Address): Promise<void> {
  const context = { ...store, now: tx.now }
  const whole = { ...look, hero_image: address(heroPicture) }
  await changeAppearance(tx, store, appearance.patch.read(whole, context))
  for (const page of pages) await set(tx, store, storePages, page)
  await changeMenus(tx, store, menuFields.patch.read(menus, context))
}

type Sold = { id: string; variants: { id: string }[]; stock_quantity: number }

async function fillShelves(tx: Tx, store: Store, address: Address): Promise<Sold[]> {
  const read = <T>(reader: Reader<T>, body: object): T => reader.read(body, { ...store, now: tx.now })
  const idOf = new Map<string, string>()
  for (const name of categories) {
    const [first] = plain.find(([, of]) => of === name)!
    const image = address(productPictures.get(first)!.main)
    const { id } = await createCategory(tx, store, read(category.create, { name, image }))
    idOf.set(name, id)
  }
  const shown = (name: string) => {
    const { main, gallery } = productPictures.get(name)!
    const images = gallery.map((picture) => ({ url: address(picture), alt_text: picture.alt }))
    return { main_image: address(main), gallery: images }
  }

  const bodies = [
    ...plain.map(([name, of, price, compare_price, stock_quantity, , text], n) => ({
      ...shown(name),
      name,
      description: describe(name, text),
      fast_shipping: n % 3 === 0,
      warranty_months: of === 'Gifts' ? null : 24,
      price,
      compare_price,
      stock_quantity,
      track_inventory: true,
      category_id: idOf.get(of),
      sku: `HP-${100 + n}`,
      is_featured: featured.includes(name),
      supplier_cost: Math.round(price * 45) / 100,
    })),
    ...varied.map(({ name, category: of, price, description, drawings, sizes }, n) => ({
      ...shown(name),
      name,
      price,
      description,
      category_id: idOf.get(of),
      sku: `HP-${200 + n}`,
      track_inventory: true,
      options: Object.entries(optionsOf(drawings, sizes)).map(([title, values]) => ({ title, values })),
      variants: combinations(optionsOf(drawings, sizes)).map((option_values, at) => ({
        option_values,
        image: address(productPictures.get(name)!.variants[option_values[0]!.value]!),
        stock_quantity: 4 + at * 3,
        manage_inventory: true,
        sku: `HP-${200 + n}-${at + 1}`,
      })),
    })),
    { name: 'Advent box', price: 99, product_status: 'draft', description: 'Coming in December.' },
  ]
  const sold: Sold[] = []
  for (const body of bodies) sold.push((await createProduct(tx, store, read(product.create, body), actor)).entity)
  for (const body of discounts) await createDiscount(tx, store, read(discount.create, body))
  return sold.slice(0, -1)
}

function optionsOf(drawings: object, sizes: string[]): Record<string, string[]> {
  return { Colour: Object.keys(drawings), ...(sizes.length > 0 ? { Size: sizes } : {}) }
}

type Combination = { option_title: string; value: string }[]

function combinations(options: Record<string, string[]>): Combination[] {
  return Object.entries(options).reduce<Combination[]>(
    (rows, [option_title, values]) => rows.flatMap((row) => values.map((value) => [...row, { option_title, value }])),
    [[]],
  )
}

/** One to three orders a day, more towards the end; the same on every run. */
async function sellFor30Days(opening: Tx, store: Store, products: Sold[]): Promise<void> {
  let n = 0
  for (let day = 0; day < days; day++) {
    const orders = 1 + ((day * 7) % 3) - (day < 10 && day % 4 === 0 ? 1 : 0)
    for (let each = 0; each < orders; each++, n++) {
      await sell(later(opening, day * dayMs + (9 + each * 4) * hourMs), store, products, n)
    }
  }
}

async function sell(tx: Tx, store: Store, products: Sold[], n: number): Promise<void> {
  const { name, email, phone, shipping_address } = person(n % 23)
  const inStock = products.filter(({ stock_quantity }) => stock_quantity > 5)
  const picked = [inStock[(n * 7) % inStock.length]!, ...(n % 3 === 0 ? [inStock[(n * 11 + 5) % inStock.length]!] : [])]
  const context = { ...store, now: tx.now }
  const body = newOrder.read(
    {
      items: picked.map(({ id, variants }) => ({
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
    context,
  )
  const { id } = await createOrder(tx, store, body as never, actor)
  // The latest still wait to be packed.
  const next =
    n % 17 === 8
      ? { status: 'cancelled', cancel_reason: 'customer' }
      : n < 44
        ? { status: 'completed', payment_status: 'paid' }
        : null
  if (!next) return
  const isWhole = n % 3 === 0 || next.status === 'cancelled'
  const changes = orderChanges.read(isWhole ? next : { status: next.status }, context)
  await updateOrder(later(tx, 26 * hourMs), store, uuidOf('ord', id)!, changes, actor)
}
