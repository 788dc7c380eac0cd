// The mark of `files/store-mark.ts`, as an object.
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { STORE_MARK, type StoreMark } from '../files/store-mark.ts'
import type { BucketClient } from './bucket-client.ts'
import { failureOf } from './bucket-errors.ts'

export function createBucketMark({ s3, bucket }: BucketClient): StoreMark {
  const place = { Bucket: bucket.name, Key: `${bucket.prefix}${STORE_MARK}` }
  return {
    where: `s3://${bucket.name}/${bucket.prefix}`,
    async read() {
      try {
        const { Body: body } = await s3.send(new GetObjectCommand(place))
        return (await body?.transformToString())?.trim() ?? null
      } catch (error) {
        if (error instanceof Error && (error.name === 'NotFound' || error.name === 'NoSuchKey')) return null
        throw failureOf(error, 'read')
      }
    },
    async write(owner) {
      await s3.send(new PutObjectCommand({ ...place, Body: Buffer.from(`${owner}\n`) })).catch((error) => {
        throw failureOf(error, 'store')
      })
    },
  }
}
