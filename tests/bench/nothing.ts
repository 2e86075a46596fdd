// A program that does nothing but stay: in it, the probe hashes with nobody beside it.
process.channel?.ref();
