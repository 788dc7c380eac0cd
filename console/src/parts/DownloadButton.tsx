import { Button, type ButtonProps } from '@mantine/core'
import { Download } from 'lucide-react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'

type DownloadButtonProps = {
  name: string
  /** The path of a GET operation, with its query. */
  path: string
} & Pick<ButtonProps, 'size' | 'variant'>

/** The path of a file with the filters of its list. */
export function pathOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const text = new URLSearchParams(Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))).toString()
  return text === '' ? path : `${path}?${text}`
}

/** Saves what an operation gives out as a file. The browser fetches it, however long it is. */
export function DownloadButton({ name, path, size = 'sm', variant = 'default' }: DownloadButtonProps) {
  const download = useAct({
    run: () => answer(api.POST('/downloads', { body: { path } })),
    changes: [],
    // The answer is a file, so the page stays.
    onDone: ({ url }) => window.location.assign(url),
  })
  return (
    <Button
      size={size}
      variant={variant}
      leftSection={<Download size={14} />}
      onClick={() => download.mutate()}
      loading={download.isPending}
    >
      {name}
    </Button>
  )
}
