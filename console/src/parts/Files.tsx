import { Anchor, List, Text } from '@mantine/core'
import { Paperclip } from 'lucide-react'
import { Dimmed } from './DataList'

type File = { id: string; filename: string | null; content_type: string; size: number; download_url?: string | null }

const UNITS = ['B', 'KB', 'MB', 'GB']
const STEP = 1024

/** 1536 is "1.5 KB". */
export function bytesInWords(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, bytes === 0 ? 0 : Math.floor(Math.log(bytes) / Math.log(STEP)))
  return `${(bytes / STEP ** unit).toLocaleString('en', { maximumFractionDigits: 1 })} ${UNITS[unit]}`
}

/** Files that came with a mail, or went with it. */
export const Files = ({ files }: { files: readonly File[] }) => (
  <List spacing={4} listStyleType="none" icon={<Paperclip size={14} />}>
    {files.map(({ id, filename, content_type: type, size, download_url: url }) => (
      <List.Item key={id}>
        {url ? (
          <Anchor href={url} inherit style={{ overflowWrap: 'anywhere' }}>
            <bdi>{filename ?? type}</bdi>
          </Anchor>
        ) : (
          <Text span>
            <bdi>{filename ?? type}</bdi>
          </Text>
        )}{' '}
        <Dimmed>
          {type}, {bytesInWords(size)}
        </Dimmed>
      </List.Item>
    ))}
  </List>
)
