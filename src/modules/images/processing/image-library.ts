// What the thread of images uses of libvips, compiled to WebAssembly (wasm-vips). Its own types are those of a browser.
import type { ImageType } from './image-headers.ts'

/** Pictures are opened by these alone, so it reads no other formats. The frames of an animation stand below each other. */
export type Picture = {
  readonly width: number
  readonly height: number
  readonly pageHeight: number
  readonly interpretation: string
  /** 0: there is no such field. */
  getTypeof(field: string): number
  getInt(field: string): number
  /** Turns it as its metadata say. */
  autorot(): Picture
  iccTransform(profile: 'srgb', options: { embedded: boolean }): Picture
  pngsaveBuffer(options: Saving): Uint8Array
  jpegsaveBuffer(options: Saving & { Q: number }): Uint8Array
  gifsaveBuffer(options: Saving & { effort: number; dither: number; reuse: boolean }): Uint8Array
  webpsaveBuffer(options: Saving & { effort: number; lossless?: boolean; Q?: number }): Uint8Array
}

/** `none`: of the metadata. */
type Saving = { keep: 'none' }
/** `fail_on`: what is no warning but an error. `n`: frames, -1 for all. */
type Opening = { fail_on: 'truncated'; access?: 'sequential' | 'random'; n?: -1 }

export type ImageLibrary = {
  concurrency(threads: number): void
  Cache: { max(entries: number): void }
  Image: Record<`${'png' | 'jpeg' | 'gif' | 'webp'}loadBuffer`, (bytes: Uint8Array, options: Opening) => Picture>
}

type Loading = { dynamicLibraries: string[]; preRun: (library: { ENV: Record<string, string> }) => void }
type Pages = { initial: number; maximum?: number; shared?: boolean }

/** What Node.js has of it, without the types of browsers. */
const wasm = (globalThis as unknown as { WebAssembly: { Memory: new (pages: Pages) => object; Exception: new (...of: never[]) => object } })
  .WebAssembly
const PAGE_BYTES = 64 * 1024

/** The library makes its own memory, of up to 2 GB. It refuses what does not fit into less. */
function boundMemory(bytesMax: number): void {
  const { Memory } = wasm
  wasm.Memory = class extends Memory {
    constructor(pages: Pages) {
      super({ ...pages, maximum: Math.max(pages.initial, Math.floor(bytesMax / PAGE_BYTES)) })
    }
  }
}

/** Once in a thread, whose memory is the library's. */
export async function loadImageLibrary(memoryBytesMax: number): Promise<ImageLibrary> {
  boundMemory(memoryBytesMax)
  const { default: load } = (await import(import.meta.resolve('wasm-vips'))) as { default: (loading: Loading) => Promise<ImageLibrary> }
  const library = await load({
    // Without the formats that it would load as libraries of their own.
    dynamicLibraries: [],
    // What it would write about a file is an error, too.
    preRun: ({ ENV }) => {
      ENV.VIPS_WARNING = '0'
    },
  })
  library.concurrency(1)
  library.Cache.max(0)
  return library
}

/** The library throws pairs of a kind and a text. @returns null if the error is another one */
export function libraryError(error: unknown): string | null {
  if (!(error instanceof wasm.Exception)) return null
  return 'message' in error ? String(error.message) : ''
}

/** In the order of IMAGE_TYPES, what it calls them. */
export const LOADERS: Record<ImageType, keyof ImageLibrary['Image']> = {
  'image/png': 'pngloadBuffer',
  'image/jpeg': 'jpegloadBuffer',
  'image/gif': 'gifloadBuffer',
  'image/webp': 'webploadBuffer',
}
