// What pages of every site say, in English and Spanish side by side.
import { speaker, type Language, type Speak, type Words } from '../kit/values/language.ts'

// prettier-ignore
const words = {
  foreign:            ['The form came from another site', 'El formulario vino de otro sitio'],
  foreign_text:       ['Please go back and try again.', 'Vuelve atrás e inténtalo de nuevo.'],
  not_found:          ['There is nothing here', 'Aquí no hay nada'],
  not_found_text:     ['The page has moved, or it was never there. Please check the address.',
                       'La página cambió de lugar o nunca existió. Revisa la dirección.'],
  too_large:          ['That was too much', 'Eso fue demasiado'],
  too_large_text:     ['The form holds more than can be taken.', 'El formulario contiene más de lo que se admite.'],
  too_many:           ['One moment, please', 'Un momento, por favor'],
  too_many_text:      ['There were too many requests from your network. Try again in a minute.',
                       'Hubo demasiadas solicitudes desde tu red. Inténtalo en un minuto.'],
  busy:               ['One moment, please', 'Un momento, por favor'],
  busy_text:          ['The service is busy. Please try again in a moment.',
                       'El servicio está ocupado. Inténtalo de nuevo en un momento.'],
  bad:                ['This did not work', 'Algo no salió bien'],
  bad_text:           ['Please check what you entered.', 'Revisa los datos que escribiste.'],
  broken:             ['Something went wrong', 'Algo salió mal'],
  broken_text:        ['It is not your fault. Please try again.', 'No es culpa tuya. Inténtalo de nuevo.'],
  what_this_is:       ['A commerce backend: shops, a REST API and webhooks.',
                       'Un backend de comercio: tiendas, una API REST y webhooks.'],
  sign_in:            ['Sign in', 'Iniciar sesión'],
  reference:          ['API reference', 'Referencia de la API'],
  shops:              ['Shops', 'Tiendas'],
  home:               ['To the start', 'Ir al inicio'],
} as const satisfies Words

export type PageWord = keyof typeof words

export const pageWords: (language: Language) => Speak<PageWord> = speaker(words)
