/** The policy of the page allows only styles with it. */
export const NONCE = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
