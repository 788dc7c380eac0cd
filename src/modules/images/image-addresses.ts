// The public addresses of images. Who has one can see the image; no one can guess it.
import type { ImageType } from './processing/image-headers.ts'

export const MEDIA = '/media'

const ENDINGS: Record<ImageType, string> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp' }

const FILE = /^([\w-]{22})\.(png|jpg|gif|webp)$/

/** The path of its address, without the host. */
export const imagePath = ({ token, contentType }: { token: string; contentType: ImageType }): string =>
  `${MEDIA}/${token}.${ENDINGS[contentType]}`

/** The token in the last part of an address; null if it can be none of ours. */
export const tokenOfFile = (file: string): string | null => FILE.exec(file)?.[1] ?? null

/** Whether an address is written as it was given out. */
export const isFileOf = (file: string, image: { token: string; contentType: ImageType }): boolean => imagePath(image) === `${MEDIA}/${file}`

/** The token in an address as people have it, whichever host it has; null if it is none of ours. */
export function tokenOfAddress(address: string): string | null {
  const path = URL.parse(address)?.pathname ?? address.split(/[?#]/, 1)[0] ?? ''
  return path.startsWith(`${MEDIA}/`) ? tokenOfFile(path.slice(MEDIA.length + 1)) : null
}
