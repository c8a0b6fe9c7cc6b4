import { ApiError } from '../../kit/values/errors.ts'

/** `noun` is singular: "Product limit reached (50/50)". */
export function planLimit(noun: string, count: number, limit: number): ApiError {
  const name = noun.charAt(0).toUpperCase() + noun.slice(1)
  return new ApiError(403, 'PLAN_LIMIT_EXCEEDED', `${name} limit reached (${count}/${limit})`, {
    values: { count, limit },
  })
}

export function missingFeature(feature: string, message = `Your plan does not include ${feature}`): ApiError {
  return new ApiError(403, 'FEATURE_ACCESS_DENIED', message, { details: { feature } })
}
