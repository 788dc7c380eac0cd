// Files of pictures on their way into the team's images.
import { answer, api } from '../api/client'
import type { RowOf } from '../api/queries'

/** As the API shows it, in lists and when it has been stored. */
export type StoredImage = RowOf<'/images'>

export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
export const IMAGE_BYTES_MAX = 10 * 1024 * 1024
const NAME_LENGTH_MAX = 100

/** The name of a file, without what says its type, is a name for people. */
export async function storeImage(file: File): Promise<StoredImage> {
  const name = file.name.replace(/\.[a-z]{3,4}$/i, '').slice(0, NAME_LENGTH_MAX)
  return answer(api.POST('/images', { body: { content: await inBase64(file), ...(name.trim() !== '' && { name }) } }))
}

/** The address names the public address of the service, which is where the page is from: the policy of the page allows no other. */
export const pathOfImage = (url: string): string => new URL(url).pathname

const inBase64 = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
