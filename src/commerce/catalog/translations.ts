// Translations of the catalog. Titles and values of options are stored as terms of their product, from which titles of
// variants and choices are derived.
import type { Tx } from '../../kit/database/database.ts'
import { findRecord } from '../../kit/declare/page.ts'
import { publicId } from '../../kit/values/ids.ts'
import { emit } from '../../tenancy/events/emit.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { termsField, buildTermTranslator, type TranslateTerm, type Term } from '../../tenancy/stores/terms.ts'
import { buildTranslationFields, translatable, type Untranslated } from '../../tenancy/stores/translations.ts'
import { category } from './category.ts'
import { collection } from './collection.ts'
import { productBody } from './payload.ts'
import { product } from './product.ts'
import { maxOptions, maxValues, formatVariantTitle, type Variant } from './variant.ts'

const terms = termsField({ max: maxOptions * (1 + maxValues), length: 255 }).describe(
  'Translations of option titles, option values and custom variant titles',
)

const productTexts = ['name', 'description', 'seo_title', 'seo_description'] as const
const groupTexts = productTexts

export const productTranslations = translatable(product, {
  ...buildTranslationFields(product.fields, productTexts),
  terms,
})
export const categoryTranslations = translatable(category, buildTranslationFields(category.fields, groupTexts))
export const collectionTranslations = translatable(collection, buildTranslationFields(collection.fields, groupTexts))

/** Tells receivers that keep a copy of the product to read it again. */
export async function emitTranslationChange(tx: Tx, store: Store, id: string): Promise<void> {
  const { entity } = await findRecord(tx, product, store.id, id)
  emit(tx, store, 'product.updated', publicId('prod', id), productBody.write({ product: entity }))
}

/** A title that is derived from option values is derived from their translations. */
export function titleIn(
  translate: TranslateTerm,
  { title, option_values }: Pick<Variant, 'title' | 'option_values'>,
): string {
  if (title !== formatVariantTitle({ option_values })) return translate(title)
  return formatVariantTitle({ option_values: option_values.map((one) => ({ ...one, value: translate(one.value) })) })
}

type TranslatedProduct = {
  options: { title: string; values: string[] }[]
  variants: Pick<Variant, 'title' | 'option_values'>[]
  terms?: Term[] | null
} & Untranslated

/** Applies the terms to options and variants, and leaves them out of the response. */
export function withTerms<P extends TranslatedProduct>({
  terms,
  untranslated: _,
  ...product
}: P): Omit<P, 'terms' | 'untranslated'> {
  if (!terms?.length) return product
  const translate = buildTermTranslator(terms)
  const options = product.options.map((option) => ({
    ...option,
    title: translate(option.title),
    values: option.values.map(translate),
  }))
  const variants = product.variants.map((variant) => ({
    ...variant,
    title: titleIn(translate, variant),
    option_values: variant.option_values.map(({ option_title, value }) => ({
      option_title: translate(option_title),
      value: translate(value),
    })),
  }))
  return { ...product, options, variants }
}
