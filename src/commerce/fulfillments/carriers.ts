// Tracking pages of carriers.

// The tracking number is appended to the URL.
// prettier-ignore
const trackingPages: Record<string, string> = {
  'ups':            'https://www.ups.com/track?tracknum=',
  'usps':           'https://tools.usps.com/go/TrackConfirmAction?tLabels=',
  'fedex':          'https://www.fedex.com/fedextrack/?trknbr=',
  'dhl':            'https://www.dhl.com/global-en/home/tracking.html?tracking-id=',
  'dpd':            'https://tracking.dpd.de/status/en_US/parcel/',
  'royal mail':     'https://www.royalmail.com/track-your-item#/tracking-results/',
  'canada post':    'https://www.canadapost-postescanada.ca/track-reperage/en#/search?searchFor=',
  'australia post': 'https://auspost.com.au/mypost/track/details/',
  'la poste':       'https://www.laposte.fr/outils/suivre-vos-envois?code=',
  'colissimo':      'https://www.laposte.fr/outils/suivre-vos-envois?code=',
  'correos':        'https://www.correos.es/es/es/herramientas/localizador/envios/detalle?tracking-number=',
  'estafeta':       'https://rastreo3.estafeta.com/Tracking/searchByGet?wayBillType=1&wayBill=',
}

/** The carriers whose tracking pages are known, as people write them. */
export const carriers = [
  'UPS',
  'USPS',
  'FedEx',
  'DHL',
  'DPD',
  'Royal Mail',
  'Canada Post',
  'Australia Post',
  'La Poste',
  'Colissimo',
  'Correos',
  'Estafeta',
] as const

/** The tracking page of a well-known carrier; null for others. "UPS Ground" is UPS, "Upsilon" is not. */
export function buildTrackingUrl(carrier: string | null, trackingNumber: string | null): string | null {
  if (carrier === null || trackingNumber === null) return null
  const words = `${carrier
    .toLowerCase()
    .replaceAll(/[^\p{L}]+/gu, ' ')
    .trim()} `
  const name = Object.keys(trackingPages).find((carrier) => words.startsWith(`${carrier} `))
  return name === undefined ? null : trackingPages[name] + encodeURIComponent(trackingNumber.trim())
}
