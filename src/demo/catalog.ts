// The demo store's products, settings, discounts and customers.

type ProductRow = [
  name: string,
  category: CategoryName,
  price: number,
  comparePrice: number | null,
  stock: number,
  drawing: string,
  description: string,
]

export const demoStore = {
  name: 'Harbour & Pine',
  store_title: 'Harbour & Pine',
  description: 'Bags, blankets and kitchenware, built to last for years.',
  currency: 'USD',
  country_code: 'US',
  timezone: 'America/New_York',
  test_payments: true,
}

export const demoShippingRates = [
  {
    code: 'standard',
    price: 6,
    free_from: 150,
    description: '2 to 4 days',
    payment_methods: ['card', 'bank_transfer'],
  },
  { code: 'express', price: 14, description: 'Next day', payment_methods: ['card'] },
  {
    code: 'pickup',
    price: 0,
    description: 'Monday to Saturday, 10 am to 6 pm',
    pickup_address: '12 Harbour Street, Portland, ME 04101',
    payment_methods: ['cash', 'card'],
  },
]

export const demoPaymentMethods = [
  { code: 'card', provider: 'test' },
  { code: 'bank_transfer', instructions: 'Harbour & Pine, account 0123456789, Example Bank.' },
  { code: 'cash', instructions: 'Pay when you pick it up.' },
]

export const bumps = [{ title: 'Gift wrapping', description: 'Recycled paper and a linen ribbon.', price: 4 }]
export const wrapping = 'parcel'

/** Background color of the pictures, by category. */
export const grounds = {
  Bags: '#eadfcd',
  Blankets: '#e2e6dd',
  Kitchen: '#ebe4d8',
  Desk: '#dde4e6',
  Outdoors: '#dbe6df',
  Gifts: '#f0dfd6',
}
export type CategoryName = keyof typeof grounds
export const categories = Object.keys(grounds) as CategoryName[]

/** Products that open the home page; each has a close-up as second picture. */
export const featuredNames = ['Canvas backpack', 'Enamel mug', 'Wool blanket, moss', 'Storm lantern']

/** A second paragraph for some descriptions. */
const details: Record<string, string> = {
  'Canvas backpack':
    '18 liters, 840 g, with a sleeve for a 15-inch laptop. The wax keeps rain out for two years; then rub in more.',
  'Enamel mug': 'Holds 350 ml. Two coats of enamel on steel; every chip shows it is loved.',
  'Wool blanket, moss': '140 × 190 cm. Wash cold, dry flat; it keeps you warm even when wet.',
  'Storm lantern':
    '27 cm high, half a litre of lamp oil. The globe lifts with one thumb, and a spare wick comes with it.',
}

export function buildProductDescription(name: string, text: string): string {
  return details[name] ? `${text}\n\n${details[name]}` : text
}

export const simpleProducts: ProductRow[] = [
  [
    'Canvas backpack',
    'Bags',
    89,
    109,
    24,
    'backpack',
    'Waxed canvas, leather straps, and room for a laptop and a weekend.',
  ],
  ['Market tote', 'Bags', 32, null, 60, 'tote', 'A sturdy tote with inner pockets.'],
  ['Leather wallet', 'Bags', 48, null, 35, 'wallet', 'Six cards, a few bills, one piece of leather.'],
  ['Weekender', 'Bags', 149, 179, 4, 'weekender', 'Fits under the seat and holds clothes for three days.'],
  ['Wool blanket, gray', 'Blankets', 120, null, 12, 'blanket', 'New wool, woven in a mill by the harbor.'],
  ['Wool blanket, moss', 'Blankets', 120, 140, 3, 'blanket #6d7a55', 'New wool in the green of the pines.'],
  ['Cotton throw', 'Blankets', 65, null, 22, 'throw', 'Light enough for summer evenings.'],
  ['Enamel mug', 'Kitchen', 14.5, null, 140, 'mug', 'Survives the fire and the dishwasher.'],
  ["Chef's knife", 'Kitchen', 96, null, 18, 'knife', 'Carbon steel, 20 cm, keeps its edge.'],
  ['Oak cutting board', 'Kitchen', 54, 62, 27, 'board', 'End grain, oiled by hand.'],
  ['Linen tea towel', 'Kitchen', 12, null, 90, 'towel', 'Gets better with every wash.'],
  ['Pour-over set', 'Kitchen', 42, null, 0, 'pourover', 'Glass carafe, steel filter, no paper.'],
  ['Brass pen', 'Desk', 38, null, 44, 'pen', 'Heavy in the right way.'],
  ['Dotted notebook', 'Desk', 18.9, null, 130, 'notebook', '192 pages that lie flat.'],
  ['Desk lamp', 'Desk', 135, 155, 9, 'lamp', 'Warm light, one joint, no buttons.'],
  ['Felt desk mat', 'Desk', 44, null, 31, 'mat', 'Protects the desk and keeps it quiet.'],
  ['Camp stool', 'Outdoors', 58, null, 16, 'stool', 'Ash and canvas, folds flat.'],
  ['Steel bottle', 'Outdoors', 29.5, null, 75, 'bottle', 'Keeps tea hot for twelve hours.'],
  ['Storm lantern', 'Outdoors', 74, 84, 5, 'lantern', 'Burns all night on one filling.'],
  ['Pocket knife', 'Outdoors', 52, null, 20, 'pocketknife', 'One blade, one handle, one spring.'],
  ['Gift card', 'Gifts', 50, null, 1000, 'giftcard', 'For people who like to choose for themselves.'],
  ['Pine candle', 'Gifts', 24, null, 66, 'candle', 'Smells of the forest after rain.'],
]

/** `drawings` maps each color to its drawing. Every combination of color and size is a variant. */
export const productsWithVariants: {
  name: string
  category: CategoryName
  price: number
  description: string
  drawings: Record<string, string>
  sizes: string[]
}[] = [
  {
    name: "Fisherman's sweater",
    category: 'Outdoors',
    price: 145,
    description: 'Heavy wool with saddle shoulders, knitted in one piece so no seam lets the wind in.',
    drawings: { Navy: 'jumper', Cream: 'jumper #d9c9a8' },
    sizes: ['S', 'M', 'L'],
  },
  {
    name: 'Rain hat',
    category: 'Outdoors',
    price: 39,
    description: 'A wide brim in back, a short one in front: the rain stays off your face and neck.',
    drawings: { Yellow: 'hat', Olive: 'hat #76804a' },
    sizes: [],
  },
]

export const discounts = [
  { code: 'WELCOME10', type: 'percentage' as const, value: 10 },
  { code: 'HARBOUR20', type: 'fixed_amount' as const, value: 20, min_order_amount: 100 },
  { code: 'SHIPFREE', type: 'free_shipping' as const, value: 0, max_uses: 100 },
]

const demoFirstNames = [
  'Ana',
  'Ben',
  'Carla',
  'David',
  'Elena',
  'Finn',
  'Grace',
  'Hugo',
  'Ines',
  'Jonas',
  'Kira',
  'Liam',
]
const demoLastNames = ['Torres', 'Walsh', 'Okafor', 'Meyer', 'Rossi', 'Lind', 'Haddad', 'Costa']
const places = [
  ['Portland', 'Maine', '04101'],
  ['Boston', 'Massachusetts', '02108'],
  ['Burlington', 'Vermont', '05401'],
  ['Providence', 'Rhode Island', '02903'],
  ['Albany', 'New York', '12207'],
] as const

/** The same n gives the same person. example.com is reserved for examples (RFC 2606), so no mail arrives. */
export function person(n: number) {
  const name = `${demoFirstNames[n % demoFirstNames.length]} ${demoLastNames[(n * 5) % demoLastNames.length]}`
  const [city, province, postal_code] = places[n % places.length]!
  return {
    name,
    email: `${name.toLowerCase().replace(' ', '.')}${n}@example.com`,
    phone: `+1 207 555 0${100 + n}`,
    shipping_address: {
      name,
      phone: null,
      address: `${10 + n} Pier Street`,
      city,
      province,
      country: 'United States',
      postal_code,
    },
  }
}
