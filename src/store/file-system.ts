/**
 * Is a folder on a file system that another machine, or the host of this one, sees as well? SQLite's locks don't reach
 * over there and the shared memory of its write-ahead log is not shared at all, so that two writers damage the file
 * without either of them noticing. One `statfs` per opened store; nothing per query.
 */
import { readFileSync, realpathSync, statfsSync } from "node:fs";

/** The name of the network or host-shared file system that a folder is on, or null. */
export type FileSystemProbe = (folder: string) => string | null;

/** What can be known of the file system that a folder is on. */
export interface FileSystemFacts {
  /** With links followed; on Windows also a mapped drive's. */
  readonly folder: string;
  /** `f_type` of statfs; null where that number means nothing. */
  readonly type: number | null;
  /** The text of /proc/self/mountinfo; asked for only where the number does not decide. */
  readonly mounts: () => string | null;
}

/** `f_type` on Linux (linux/magic.h, and what coreutils' stat.c knows beyond that). */
const remoteTypes: ReadonlyMap<number, string> = new Map([
  [0x6969, "nfs"],
  [0xff534d42, "cifs"],
  [0xfe534d42, "smb2"],
  [0x517b, "smb"],
  [0x01021997, "9p"],
  [0x00c36400, "ceph"],
  [0x5346414f, "afs"],
  [0x6b414653, "afs"],
  [0x0bd00bd0, "lustre"],
  [0x47504653, "gpfs"],
  [0x7461636f, "ocfs2"],
  [0x01161970, "gfs2"],
  [0x786f4256, "vboxsf"],
  [0xbacbacbc, "vmhgfs"],
  [0x7c7c6673, "prl_fs"],
  [0x73757245, "coda"],
  [0x564c, "ncp"],
  [0xaad7aaea, "panfs"],
  [0x19830326, "beegfs"],
  [0x20030528, "orangefs"],
  [0x61636673, "acfs"],
  [0xbeefdead, "snfs"],
  [0x013111a8, "ibrix"],
  [0x00c0ffee, "hostfs"],
]);

/** The usual local ones: with these, nothing more is read. */
const localTypes: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x01021994, // tmpfs
  0x858458f6, // ramfs
  0x794c7630, // overlayfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0xca451a4e, // bcachefs
  0x4d44, // vfat
  0x2011bab0, // exfat
  0x7366746e, // ntfs3
  0xf15f, // ecryptfs
  0x73717368, // squashfs
  0xe0f5e1e2, // erofs
  0x9660, // iso9660
]);

/** Names in mountinfo, with or without `fuse.` before them. Everything through FUSE has one `f_type`. */
const remoteNames: ReadonlySet<string> = new Set(
  (
    "nfs nfs4 cifs smb smb2 smb3 smbfs smbnetfs 9p ceph ceph-fuse afs kafs lustre gpfs ocfs2 gfs gfs2 vboxsf vmhgfs " +
    "vmhgfs-fuse hgfs prl_fs prl_fsd coda ncp ncpfs panfs beegfs beegfs_ondemand orangefs pvfs2 acfs snfs wekafs hostfs " +
    "virtiofs drvfs fakeowner grpcfuse osxfs sshfs glusterfs mfs moosefs juicefs seaweedfs weed rclone s3fs s3ql goofys " +
    "gcsfuse blobfuse blobfuse2 ossfs cosfs obsfs mount-s3 davfs davfs2 webdavfs afpfs curlftpfs ftpfs " +
    "google-drive-ocamlfuse onedriver gvfsd-fuse kio-fuse cvmfs2 cernvm-fs"
  ).split(" "),
);

/** FUSE programs that store locally, whatever their source is called. */
const localNames: ReadonlySet<string> = new Set(
  (
    "fuseblk ntfs-3g ntfs exfat exfat-fuse fuse-overlayfs gocryptfs encfs cryfs securefs ecryptfs bindfs mergerfs unionfs " +
    "unionfs-fuse zfs-fuse lxcfs fuse2fs ext4 portal"
  ).split(" "),
);

/** A source with a host in it: `//server/share`, `https://…`, `me@host:/folder`, `host:/folder`. */
const remoteSource = /^(?:\/\/|\\\\|[a-z][a-z0-9+.-]*:\/\/|[^/\s]+@[^/\s]+:|[\w.-]+:\/)/i;

/** Pure. Unknown file systems count as local: refusing a disk that is right would be worse than a rare one missed. */
export function networkFileSystem({ folder, type, mounts }: FileSystemFacts): string | null {
  if (isUnc(folder)) return "a Windows network share";
  if (type === null) return null;
  // The kernel gives a 32-bit number, in places sign-extended.
  const number = Number(BigInt.asUintN(32, BigInt(type)));
  const known = remoteTypes.get(number);
  if (known !== undefined) return known;
  if (localTypes.has(number)) return null;
  const mount = mountOf(folder, mounts() ?? "");
  if (mount === null) return null;
  const name = mount.type.replace(/^fuse\./, "");
  if (localNames.has(name)) return null;
  return remoteNames.has(name) || (mount.type.startsWith("fuse") && remoteSource.test(mount.source))
    ? mount.type
    : null;
}

/** `\\server\share` in all its spellings; `\\?\C:\` and `\\.\` are this machine. */
function isUnc(folder: string): boolean {
  return /^[\\/]{2}(?:[?.][\\/]UNC[\\/]|(?![?.][\\/])[^\\/]+[\\/])[^\\/]/i.test(folder);
}

interface Mount {
  readonly type: string;
  readonly source: string;
}

/** The mount with the longest path that the folder lies below; of equal ones the last, which lies on top. */
function mountOf(folder: string, mounts: string): Mount | null {
  let longest = -1;
  let found: Mount | null = null;
  for (const line of mounts.split("\n")) {
    // 36 35 98:0 /root /mount/point rw,noatime shared:1 - type source options
    const [before = "", after = ""] = line.split(" - ");
    const point = unescaped(before.split(" ")[4] ?? "");
    const [type = "", source = ""] = after.split(" ");
    if (point === "" || type === "" || point.length < longest) continue;
    if (folder !== point && !folder.startsWith(point === "/" ? point : `${point}/`)) continue;
    longest = point.length;
    found = { type, source: unescaped(source) };
  }
  return found;
}

/** Blanks and backslashes stand as octal numbers. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}

/**
 * Asks the system about a folder that exists. On macOS the number is not fixed and there is no list to read, so that a
 * share is not recognised there.
 */
export const probeFileSystem: FileSystemProbe = (folder) => {
  const real = realpathSync.native(folder);
  const isLinux = process.platform === "linux";
  return networkFileSystem({ folder: real, type: isLinux ? statfsSync(real).type : null, mounts: readMounts });
};

function readMounts(): string | null {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8");
  } catch {
    // No /proc here: the number alone decides.
    return null;
  }
}
