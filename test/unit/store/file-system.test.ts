/** Which file systems a store may lie on (SPEC 1.12). */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toAgentId } from "../../../src/model/ids.ts";
import { AgentStore } from "../../../src/store/agent-store.ts";
import { networkFileSystem, probeFileSystem } from "../../../src/store/file-system.ts";
import { Home } from "../../../src/store/home.ts";
import { temporaryFolder } from "../../helpers/temporary.ts";

const fuse = 0x65735546;
const untouched = () => {
  throw new Error("the list of mounts was read");
};

describe("by the number of statfs", () => {
  test.each([
    [0x6969, "nfs"],
    [0xff534d42, "cifs"],
    [-11317950, "cifs"],
    [0xfe534d42, "smb2"],
    [0x01021997, "9p"],
    [0x00c36400, "ceph"],
    [0x0bd00bd0, "lustre"],
    [0x786f4256, "vboxsf"],
  ])("%i is %s, and nothing else is asked", (type, name) => {
    expect(networkFileSystem({ folder: "/srv/home", type, mounts: untouched })).toBe(name);
  });

  test.each([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1])(
    "%i is a disk of this machine",
    (type) => {
      expect(networkFileSystem({ folder: "/srv/home", type, mounts: untouched })).toBeNull();
    },
  );
});

describe("by the list of mounts, where the number is FUSE's or unknown", () => {
  const mounts = [
    "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
    "30 22 0:40 / /srv/ssh rw shared:7 - fuse.sshfs me@shed.example:/data rw,user_id=0",
    "31 22 0:41 / /srv/host rw - virtiofs hostshare rw",
    "32 22 0:42 / /srv/my\\040drive rw master:1 propagate_from:2 - fuse.rclone remote:bucket rw",
    "33 22 0:43 / /srv/vault rw - fuse.gocryptfs /home/me/.vault rw",
    "34 22 8:17 / /srv/stick rw - fuseblk /dev/sdb1 rw,blksize=4096",
    "35 22 0:44 / /srv/image rw - fuse.fuse-overlayfs fuse-overlayfs rw",
    "36 22 0:45 / /srv/dav rw - fuse https://dav.example/me rw",
    "37 22 0:46 / /srv/odd rw - fuse.myowntool //shed/share rw",
    "38 22 0:47 / /srv/plain rw - fuse.myowntool mytool rw",
    "39 22 0:48 / /srv/pool rw - fuse.mergerfs a:/disks/a rw",
    "40 30 0:49 / /srv/ssh/local rw - ext4 /dev/vdb rw",
    "41 22 0:50 / /srv/twice rw - ext4 /dev/vdc rw",
    "42 22 0:51 / /srv/twice rw - nfs4 shed:/export rw",
    "",
  ].join("\n");
  const at = (folder: string, type = fuse) => networkFileSystem({ folder, type, mounts: () => mounts });

  test.each([
    ["/srv/ssh", "fuse.sshfs"],
    ["/srv/ssh/agents/main", "fuse.sshfs"],
    ["/srv/host/home", "virtiofs"],
    ["/srv/my drive/home", "fuse.rclone"],
    ["/srv/dav", "fuse"],
    ["/srv/odd/home", "fuse.myowntool"],
    ["/srv/twice/home", "nfs4"],
  ])("%s: %s", (folder, name) => {
    expect(at(folder)).toBe(name);
    expect(at(folder, 0x12345678)).toBe(name);
  });

  test.each([
    "/srv/vault/home",
    "/srv/stick",
    "/srv/image/x",
    "/srv/plain",
    "/srv/pool/home",
    "/srv/ssh/local/home",
    "/srv/sshfs",
    "/",
  ])("%s is a disk of this machine", (folder) => {
    expect(at(folder)).toBeNull();
  });

  test("without a list the number alone decides", () => {
    expect(networkFileSystem({ folder: "/srv/ssh", type: fuse, mounts: () => null })).toBeNull();
    expect(networkFileSystem({ folder: "/srv/ssh", type: null, mounts: untouched })).toBeNull();
  });
});

describe("on Windows, by the path", () => {
  test.each([
    "\\\\shed\\share\\home",
    "//shed/share",
    "\\\\?\\UNC\\shed\\share",
    "\\\\wsl.localhost\\Debian\\home\\me",
  ])("%s", (folder) => {
    expect(networkFileSystem({ folder, type: null, mounts: () => null })).toBe("a Windows network share");
  });

  test.each(["C:\\Users\\me", "\\\\?\\C:\\Users\\me", "\\\\.\\C:\\x", "/home/me"])("%s is this machine", (folder) => {
    expect(networkFileSystem({ folder, type: null, mounts: () => null })).toBeNull();
  });
});

test("the disk of the tests is one of this machine", () => {
  expect(probeFileSystem(temporaryFolder())).toBeNull();
});

describe("a store on a network file system (SPEC 1.12)", () => {
  test("is refused before anything is made; the error names path, file system and way out", () => {
    const folder = temporaryFolder();
    const home = new Home(join(folder, "not", "yet"), { fileSystem: () => "nfs" });
    expect(home.agents()).toEqual([]);
    expect(() => home.store(toAgentId("main"))).toThrow(
      expect.objectContaining({
        code: "unsupported",
        message: expect.stringMatching(/not.yet.agents.main.transcripts\.sqlite.*\(nfs\)/),
        hint: expect.stringMatching(/--home.*BACKSCROLL_HOME/),
      }),
    );
    expect(existsSync(join(folder, "not"))).toBe(false);
  });

  test("is refused also where it is there already", () => {
    const path = join(temporaryFolder(), "transcripts.sqlite");
    new AgentStore(path, toAgentId("main")).close();
    expect(() => new AgentStore(path, toAgentId("main"), { fileSystem: () => "9p" })).toThrow(/\(9p\)/);
  });

  test("the nearest folder that exists is asked, once per opened store, and never for one in memory", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "agents"));
    const asked: string[] = [];
    const fileSystem = (each: string) => {
      asked.push(each);
      return null;
    };
    const home = new Home(folder, { fileSystem });
    const store = home.store(toAgentId("main"));
    home.store(toAgentId("main"));
    store.db.prepare("SELECT count(*) AS n FROM messages").get();
    home.close();
    new AgentStore(":memory:", toAgentId("main"), { fileSystem: () => "nfs" }).close();
    expect(asked).toEqual([join(folder, "agents")]);
  });
});
