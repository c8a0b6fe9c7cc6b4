import type { WordPairs } from '../../kit/values/language.ts'

// prettier-ignore
export const pickerWords = {
  collections:     ['Collections', 'Colecciones'],
  pick_search:     ['Search to add', 'Busca para agregar'],
  pick_search_of:  ['{name}: search to add', '{name}: busca para agregar'],
  pick_found:      ['Found: {count}', 'Encontrados: {count}'],
  pick_none:       ['Nothing found', 'No se encontró nada'],
  pick_gone:       ['No longer there ({id})', 'Ya no existe ({id})'],
  none_of_them:    ['None', 'Ninguno'],
} as const satisfies WordPairs
