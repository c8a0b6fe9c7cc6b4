// What the consent page says, and every scope in words, in English and Spanish side by side.
import { speaker, type Language, type Speak, type WordPairs } from '../../kit/values/language.ts'
import { signInWords } from '../signin/words.ts'

// prettier-ignore
const words = {
  consent_title:      ['Allow {client}?', '¿Permitir {client}?'],
  verified:           ['Verified', 'Verificada'],
  unverified:         ['This app is not verified. Go on only if you know who made it.',
                       'Esta aplicación no está verificada. Continúa solo si sabes quién la hizo.'],
  loopback:           ['This app runs on your own computer. Go on only if you have just started it yourself.',
                       'Esta aplicación se ejecuta en tu propia computadora. Continúa solo si acabas de iniciarla tú.'],
  sends_you_to:       ['It sends you to', 'Te llevará a'],
  may:                ['It may', 'Podrá'],
  which_store:        ['Store', 'Tienda'],
  allow:              ['Allow', 'Permitir'],
  deny:               ['Deny', 'Rechazar'],
  no_store:           ['There is no store that you may connect', 'No tienes ninguna tienda que puedas conectar'],
  no_store_text:      ['Only owners and administrators of a store may connect apps.',
                       'Solo propietarios y administradores pueden conectar aplicaciones.'],
  second_factor_first: ['This store asks for a second factor. Set one up in the dashboard, under Settings > Security.',
                       'Esta tienda pide un segundo factor. Configúralo en el panel, en Ajustes > Seguridad.'],
  choose_store:       ['Please choose a store.', 'Elige una tienda.'],
  privacy:            ['Privacy policy', 'Política de privacidad'],
  terms:              ['Terms of service', 'Condiciones del servicio'],
  website:            ['Website', 'Sitio web'],
  consent_foot:       ['You can end this access at any time under Connected apps.',
                       'Puedes retirar este acceso cuando quieras en Aplicaciones conectadas.'],

  'read:products':    ['See products', 'Ver productos'],
  'write:products':   ['See and change products', 'Ver y cambiar productos'],
  'read:categories':  ['See categories', 'Ver categorías'],
  'write:categories': ['See and change categories', 'Ver y cambiar categorías'],
  'read:inventory':   ['See stock', 'Ver existencias'],
  'write:inventory':  ['See and change stock', 'Ver y cambiar existencias'],
  'read:orders':      ['See orders, with names and addresses', 'Ver pedidos, con nombres y direcciones'],
  'write:orders':     ['See, make and change orders', 'Ver, crear y cambiar pedidos'],
  'read:customers':   ['See customers and their contact data', 'Ver clientes y sus datos de contacto'],
  'write:customers':  ['See and change customers', 'Ver y cambiar clientes'],
  'read:discounts':   ['See discounts', 'Ver descuentos'],
  'write:discounts':  ['See and change discounts', 'Ver y cambiar descuentos'],
  'read:store':       ['See the settings of the store', 'Ver los ajustes de la tienda'],
  'write:store':      ['See and change the settings of the store', 'Ver y cambiar los ajustes de la tienda'],
  'read:webhooks':    ['See webhooks', 'Ver webhooks'],
  'write:webhooks':   ['See and change webhooks', 'Ver y cambiar webhooks'],
  'propose:products':   ['Propose changes of products, for you to approve',
                         'Proponer cambios de productos, que tú apruebas'],
  'propose:categories': ['Propose changes of categories, for you to approve',
                         'Proponer cambios de categorías, que tú apruebas'],
  'propose:inventory':  ['Propose changes of stock, for you to approve',
                         'Proponer cambios de existencias, que tú apruebas'],
  'propose:orders':     ['See orders and propose changes of them, for you to approve',
                         'Ver pedidos y proponer cambios, que tú apruebas'],
  'propose:customers':  ['See customers and propose changes of them, for you to approve',
                         'Ver clientes y proponer cambios, que tú apruebas'],
  'propose:discounts':  ['Propose changes of discounts, for you to approve',
                         'Proponer cambios de descuentos, que tú apruebas'],
  'propose:store':      ['Propose changes of the settings, for you to approve',
                         'Proponer cambios de los ajustes, que tú apruebas'],
  'propose:webhooks':   ['See webhooks and propose changes of them, for you to approve',
                         'Ver webhooks y proponer cambios, que tú apruebas'],
  'read:checkout_drafts': ['See abandoned checkouts, with contact data',
                           'Ver carritos abandonados, con datos de contacto'],
  'read:audit':       ['See who changed what in the store', 'Ver quién cambió qué en la tienda'],
  'write:audit':      ['See who changed what in the store, and undo it',
                       'Ver quién cambió qué en la tienda y deshacerlo'],
  'read:requests':    ['See what was asked of the API, and what became of it',
                       'Ver qué se pidió a la API y qué resultó de ello'],
} as const satisfies WordPairs

export type ConsentSay = Speak<keyof typeof words | keyof typeof signInWords>

export const sayIn: (language: Language) => ConsentSay = speaker({ ...signInWords, ...words })

export function scopeInWords(language: Language, scope: string): string {
  return Object.hasOwn(words, scope) ? sayIn(language)(scope as keyof typeof words) : scope
}
